import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../config.ts';
import { reasonOf } from '../../lib/log.ts';
import type { Instant } from '../../lib/time.ts';
import type { App } from '../../server/app.ts';
import { ConfigError } from '../command.ts';

/** Seconds after which an idle connection is closed. */
const IDLE_SECONDS = 30;
/** Each route has its own limit and its own response, so the limit for the whole server is off. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

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
   * Loads the certificate from its file again.
   *
   * @returns false if no certificate is configured
   * @throws if the certificate is invalid; the old certificate stays in use
   */
  readonly reload: () => boolean;
  /** Stops accepting connections. Resolves when the last request is finished. */
  readonly stop: () => Promise<void>;
};

/** Starts listening. @throws if the port is in use */
export function listen(app: App, config: Config): Listener {
  const options = {
    hostname: config.host,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    development: false,
    // With the default, a second server could share the port and get half of the requests.
    reusePort: false,
    fetch: app.fetch,
  } as const;
  const first = loadTls(config);
  let server = Bun.serve({ ...options, port: config.port, ...first });
  reportExpiry(app, first);
  /** The listeners with earlier certificates, which finish their requests. */
  const retired: Promise<void>[] = [];
  app.setPeer((request) => server.requestIP(request)?.address);
  return {
    port: () => server.port ?? 0,
    reload() {
      const tls = loadTls(config);
      if (tls.tls === undefined) return false;
      // Fails before the listener stops if the files are invalid.
      createSecureContext(tls.tls);
      const port = server.port ?? config.port;
      retired.push(server.stop());
      server = Bun.serve({ ...options, port, ...tls });
      reportExpiry(app, tls);
      return true;
    },
    async stop() {
      await Promise.all([server.stop(), ...retired]);
    },
  };
}

/** @throws ConfigError if the certificate or its key is invalid */
export function checkCertificate(config: Config): void {
  try {
    const { tls } = loadTls(config);
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

type Tls = { readonly cert: string; readonly key: string; readonly ciphers: string };

function loadTls({ tlsCert, tlsKey }: Config): { tls?: Tls } {
  if (tlsCert === undefined || tlsKey === undefined) return {};
  const [cert, key] = [readFileSync(tlsCert, 'utf8'), readFileSync(tlsKey, 'utf8')];
  return { tls: { cert, key, ciphers: CIPHERS } };
}
