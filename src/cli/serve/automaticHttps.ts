import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Certificate,
  CHALLENGE_PATH,
  type Challenges,
  createChallenges,
} from '../../acme/certificate.ts';
import { toAcmeFolder } from '../../acme/files.ts';
import { type Renewer, startRenewer } from '../../acme/renewer.ts';
import type { Config } from '../../config.ts';
import { closeOnFailure, runAll } from '../../lib/closing.ts';
import { type Log, reasonOf } from '../../lib/log.ts';
import { exactPathOf, hostOf, searchOf } from '../../lib/target.ts';
import { SECOND, systemClock } from '../../lib/time.ts';
import type { App } from '../../server/app.ts';
import { ConfigError } from '../command.ts';
import { createStorageError } from '../withServices.ts';
import { type Listener, listen, probePort, toServerOptions, withPortErrors } from './listener.ts';

/** @returns the content of `POSTERN_ACME_CA`; undefined if it is not set @throws ConfigError if it is not a certificate */
export function readAcmeCa({ acmeCa }: Config): string | undefined {
  if (acmeCa === undefined) return undefined;
  try {
    const pem = readFileSync(acmeCa, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    throw new ConfigError([`POSTERN_ACME_CA cannot be used: ${reasonOf(cause)}`]);
  }
}

/** The pause after the server failed to listen on the https port. */
const LISTEN_RETRY = 10 * SECOND;

export type AutomaticHttpsOptions = {
  readonly app: App;
  readonly config: Config;
  /** See `readAcmeCa`. */
  readonly ca: string | undefined;
  readonly log: Log;
};

/**
 * Listens on the http port, and on the https port as soon as there is a certificate. Obtains and renews the certificate.
 *
 * @throws CommandError if a port or the data folder cannot be used
 */
export async function listenWithAcme(options: AutomaticHttpsOptions): Promise<Listener> {
  const { app, config } = options;
  // Before the server requests a certificate, which counts toward the CA's limits.
  await probePort(config);
  const challenges = createChallenges();
  const https = createHttps(options);
  const fetch = createChallengeHandler({
    challenges,
    baseUrl: config.baseUrl,
    domains: config.acmeDomains,
    hasHttps: https.isListening,
    fetch: app.fetch,
  });
  const http = withPortErrors(config.acmeHttpPort, 'POSTERN_ACME_HTTP_PORT', () =>
    Bun.serve({ ...toServerOptions(config, fetch), port: config.acmeHttpPort }),
  );
  // Closes all connections immediately, because clients can safely retry requests to this port.
  const stop = () => runAll([() => http.stop(true), https.stop]);
  const renewer = await closeOnFailure(stop, () => startRenewerOf(options, challenges, https.use));
  return {
    port: () => config.port,
    reload: renewer.reload,
    stop: () => runAll([renewer.stop, stop]),
  };
}

function startRenewerOf(
  { config, ca, log }: AutomaticHttpsOptions,
  challenges: Challenges,
  onCertificate: (certificate: Certificate) => void,
): Renewer {
  const { acmeDirectory: directory, acmeDomains: domains, acmeEmail: email = '', dataDir } = config;
  try {
    return startRenewer({
      directory,
      ca,
      email,
      domains,
      challenges,
      folder: toAcmeFolder(dataDir, directory),
      onCertificate,
      log,
      clock: systemClock,
      random: Math.random,
    });
  } catch (cause) {
    throw createStorageError(config, cause);
  }
}

/** The listener on the https port, which starts with the first certificate. */
function createHttps({ app, config, log }: AutomaticHttpsOptions) {
  let listener: Listener | undefined;
  let certificate: Certificate | undefined;
  let retry: Timer | undefined;
  let running = Promise.resolve();

  async function start(): Promise<void> {
    try {
      if (listener === undefined) {
        listener = await listen(
          app,
          config,
          () => certificate && { cert: certificate.chain, key: certificate.key },
        );
        log.info('https-started', { port: config.port });
      } else await listener.reload();
    } catch (error) {
      log.error('https-failed', { reason: reasonOf(error) });
      clearTimeout(retry);
      retry = setTimeout(startNext, LISTEN_RETRY);
    }
  }

  /** Runs `start` after the runs that have begun. */
  function startNext(): void {
    running = running.then(start);
  }

  return {
    isListening: () => listener !== undefined,
    /** Applies a certificate. Open connections continue with the previous one. */
    use(next: Certificate) {
      certificate = next;
      startNext();
    },
    async stop() {
      await running;
      clearTimeout(retry);
      await listener?.stop();
    },
  };
}

type ChallengeHandlerOptions = {
  readonly challenges: Challenges;
  /** The public URL with https. */
  readonly baseUrl: string;
  readonly domains: readonly string[];
  /** Whether https is available. */
  readonly hasHttps: () => boolean;
  /** Handles `/livez` until https is available. */
  readonly fetch: App['fetch'];
};

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

/** The response to a token that does not belong to the current order. `postern doctor` recognizes it. */
export const UNKNOWN_CHALLENGE = 'Postern: unknown challenge\n';

/**
 * Handles requests to the http port. It responds to HTTP-01 challenges and redirects all other requests to https (308). Until https
 * is available, it responds to them with 503, except for `/livez`.
 */
function createChallengeHandler(options: ChallengeHandlerOptions): App['fetch'] {
  const { challenges, hasHttps, fetch } = options;
  return (request) => {
    if (hostOf(request) === undefined)
      return new Response('The Host header is invalid.\n', { status: 400, headers: PLAIN });
    const path = exactPathOf(request);
    if (path.startsWith(CHALLENGE_PATH)) {
      const response = challenges.find(path.slice(CHALLENGE_PATH.length));
      if (response === undefined) return new Response(UNKNOWN_CHALLENGE, { status: 404, headers: PLAIN });
      return new Response(response, { headers: { ...PLAIN, 'Content-Type': 'application/octet-stream' } });
    }
    if (hasHttps()) return redirect(request, options);
    if (path === '/livez') return fetch(new Request('http://localhost/livez', { method: request.method }));
    return new Response(
      'This server does not have a certificate yet. Try again when the CA has issued it.\n',
      { status: 503, headers: { ...PLAIN, 'Retry-After': '60' } },
    );
  };
}

/** Redirects to the requested domain if it is one of the domains of the certificate. Otherwise, redirects to the public URL. */
function redirect(request: Request, { baseUrl, domains }: ChallengeHandlerOptions): Response {
  const target = new URL(baseUrl);
  const host = hostOf(request);
  if (host !== undefined && domains.includes(host)) target.hostname = host;
  return new Response(null, {
    status: 308,
    headers: { Location: `${target.origin}${exactPathOf(request)}${searchOf(request)}` },
  });
}
