import type { Certificate } from '../../acme/certificate.ts';
import { type Challenges, createChallenges } from '../../acme/challenges.ts';
import { toAcmeFolder } from '../../acme/files.ts';
import { type Renewer, startRenewer } from '../../acme/renewer.ts';
import type { Config } from '../../config.ts';
import { closeOnFailure } from '../../lib/closing.ts';
import { type Log, reasonOf } from '../../lib/log.ts';
import { runAll } from '../../lib/runAll.ts';
import { SECOND, systemClock } from '../../lib/time.ts';
import type { App } from '../../server/app.ts';
import { createStorageError } from '../withServices.ts';
import { createChallengeHandler } from './challengeHandler.ts';
import { type Listener, listen, probePort, toServerOptions, withPortErrors } from './listener.ts';

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
