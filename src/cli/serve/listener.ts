import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../config.ts';
import { reasonOf } from '../../lib/log.ts';
import { socketPathOf } from '../../lib/parse.ts';
import type { Instant } from '../../lib/time.ts';
import type { App } from '../../server/app.ts';
import { createPortListener } from '../../server/portListener.ts';
import type { RequestThreads } from '../../server/threads/requestThreads.ts';
import { CommandError, ConfigError } from '../command.ts';
import { listenOnUnixSocket } from './unixSocket.ts';

/** Seconds after which an idle connection is closed. */
const IDLE_SECONDS = 30;

/**
 * The TLS 1.2 suites with forward secrecy and authenticated encryption (RFC 9325, section 4.2). All suites of TLS 1.3 have both,
 * and Bun does not support older versions by default.
 */
const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export type Listener = {
  readonly port: () => number;
  /**
   * Loads the certificate again, from its file or, with automatic HTTPS, from the data folder.
   *
   * @returns false if there is no certificate
   * @throws (or rejects) if the certificate is invalid; the old certificate stays in use
   */
  readonly reload: () => boolean | Promise<boolean>;
  /** Stops accepting connections. Resolves when the last request is finished. */
  readonly stop: () => Promise<void>;
};

/** A certificate chain and its private key in PEM format. */
export type KeyPair = { readonly cert: string; readonly key: string };

/** The options of a listener on the port, without its handler. */
const COMMON = {
  idleTimeout: IDLE_SECONDS,
  // Each route has its own limit and its own response, so the limit for the whole server is off.
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
} as const;

/** The options of a server, without its port. */
export function toServerOptions(config: Config, fetch: App['fetch']) {
  return {
    ...COMMON,
    hostname: config.host,
    development: false,
    // With the default, a second server could share the port and get half of the requests.
    reusePort: false,
    fetch,
  } as const;
}

/** Starts listening. @param readKeyPair returns the current certificate; undefined for http @throws (or rejects) if the port is in use */
export function listen(
  app: App,
  config: Config,
  readKeyPair = () => readKeyPairFiles(config),
): Listener | Promise<Listener> {
  const path = socketPathOf(config.host);
  if (path !== undefined) return listenOnSocket(app, path);
  if (app.threads !== undefined) return listenOnSharedPort(app, app.threads, config, readKeyPair);
  const isSecure = readKeyPair() !== undefined;
  return isSecure ? listenOnSharedPort(app, listenHere(app), config, readKeyPair) : listenOnPort(app, config);
}

/** Listens on a Unix socket, which has no port and no certificate. */
async function listenOnSocket(app: App, path: string): Promise<Listener> {
  const options = { ...COMMON, development: false, fetch: app.fetch } as const;
  const stop = await listenOnUnixSocket({ path, app, options });
  return { port: () => 0, reload: () => false, stop };
}

/** Listens with http on this thread; there is no certificate to replace. */
function listenOnPort(app: App, config: Config): Listener {
  const options = toServerOptions(config, app.fetch);
  const server = withPortErrors(config.port, 'POSTERN_PORT', () =>
    Bun.serve({ ...options, port: config.port }),
  );
  app.setPeer((request) => server.requestIP(request)?.address);
  return { port: () => server.port ?? 0, reload: () => false, stop: () => server.stop() };
}

/** Listens with https on this thread. */
function listenHere(app: App): SharedListener {
  const listener = createPortListener();
  app.setPeer(listener.peerOf);
  return {
    listen: async (options) => listener.listen(options, app.fetch),
    stopListening: listener.stop,
  };
}

/** Listens on a port that listeners of this process share (`SO_REUSEPORT`). Another call of `listen` replaces the certificate. */
type SharedListener = Pick<RequestThreads, 'listen' | 'stopListening'>;

/** Listens on the port, which all request threads share. The kernel distributes the connections. */
async function listenOnSharedPort(
  app: App,
  { listen, stopListening }: SharedListener,
  config: Config,
  readKeyPair: ReadKeyPair,
): Promise<Listener> {
  const { host: hostname, port } = config;
  const first = toTls(readKeyPair());
  await probePort(config);
  await listen({ ...COMMON, hostname, port, ...first });
  reportExpiry(app, first);
  return {
    port: () => port,
    async reload() {
      const tls = toTls(readKeyPair());
      if (tls.tls === undefined) return false;
      // Fails before anything changes if the files are invalid.
      createSecureContext(tls.tls);
      await listen({ ...COMMON, hostname, port, ...tls });
      reportExpiry(app, tls);
      return true;
    },
    stop: stopListening,
  };
}

/**
 * Checks that the port can be used and that no other server uses it, because listeners that share a port do not exclude those of another
 * server.
 *
 * @throws CommandError
 */
export async function probePort(config: Config): Promise<void> {
  const options = toServerOptions(config, () => new Response());
  const probe = withPortErrors(config.port, 'POSTERN_PORT', () =>
    Bun.serve({ ...options, port: config.port }),
  );
  await probe.stop(true);
}

/** @throws ConfigError if the certificate or its key is invalid */
export function checkCertificate(config: Config): void {
  try {
    const { tls } = toTls(readKeyPairFiles(config));
    if (tls !== undefined) createSecureContext(tls);
  } catch (cause) {
    throw new ConfigError([`POSTERN_TLS_CERT and POSTERN_TLS_KEY cannot be used: ${reasonOf(cause)}`]);
  }
}

/**
 * Replaces port 0 with a free port, in the base URL too. The port must be known before the services are created, because
 * they use the base URL.
 */
export async function resolvePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const probe = Bun.serve({ hostname: config.host, port: 0, fetch: () => new Response() });
  const port = probe.port ?? 0;
  await probe.stop(true);
  return { ...config, port, baseUrl: config.baseUrl.replace(/^(https?:\/\/localhost):0$/, `$1:${port}`) };
}

/** Reports when the server's own certificate, the first one in the file, expires. */
function reportExpiry({ setCertificateExpiry }: App, { tls }: { readonly tls?: Tls }): void {
  if (tls !== undefined) setCertificateExpiry(Date.parse(new X509Certificate(tls.cert).validTo) as Instant);
}

/**
 * Runs a function that listens on a port.
 *
 * @param variable the setting of the port
 * @throws CommandError if the server cannot listen on the port
 */
export function withPortErrors<T>(port: number, variable: string, start: () => T): T {
  try {
    return start();
  } catch (cause) {
    const isDenied = cause instanceof Error && 'code' in cause && cause.code === 'EACCES';
    if (!isDenied)
      throw new CommandError(`cannot listen on port ${port} (${variable}): ${reasonOf(cause)}`, { cause });
    throw new CommandError(
      `cannot listen on port ${port} (${variable}): permission denied; ports below 1024 require the capability CAP_NET_BIND_SERVICE, which a systemd unit grants with AmbientCapabilities=CAP_NET_BIND_SERVICE`,
      { cause },
    );
  }
}

type ReadKeyPair = () => KeyPair | undefined;

type Tls = KeyPair & { readonly ciphers: string };

function toTls(pair: KeyPair | undefined): { tls?: Tls } {
  return pair === undefined ? {} : { tls: { ...pair, ciphers: CIPHERS } };
}

function readKeyPairFiles({ tlsCert, tlsKey }: Config): KeyPair | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
}
