import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { type Cidr, isLoopbackHost, isWithin, parseAddress } from '../../lib/address.ts';
import { reasonOf } from '../../lib/log.ts';
import { parseCidrs, socketPathOf } from '../../lib/parse.ts';
import { DAY, type Instant, toIso } from '../../lib/time.ts';
import { createDnsLookup } from '../../platform/properties/dnsResolver.ts';
import { type EngineSettings, postgresEngine } from '../../server/storageEngine.ts';
import {
  describeConflict,
  describeServer,
  findConflict,
  type ServerState,
} from '../../storage/postgres/serverStates.ts';
import { type Check, type Finding, failed, passed, runCheck, warning } from './check.ts';

/** The detail of a check that depends on settings that are invalid. */
const INVALID_SETTINGS = 'not checked, because settings are invalid';

/** Reserved for documentation (RFC 2606). Every DNS server with access to the public DNS resolves it. */
const KNOWN_DOMAIN = 'example.com';

/** Checks that the DNS servers respond. A response that the domain does not exist is sufficient. */
export async function checkDns(config: Config | undefined): Promise<Finding> {
  if (config === undefined) return passed(INVALID_SETTINGS);
  const lookup = createDnsLookup(config);
  if (lookup === undefined) return passed('not used');
  const servers = config.dnsServers?.join(', ') ?? "the system's servers";
  const { resolution } = await lookup(KNOWN_DOMAIN);
  if (resolution !== 'unanswered') return passed(`${servers}: responding`);
  return failed(
    `${servers}: no usable response for ${KNOWN_DOMAIN} within ${config.dnsTimeoutMs} ms, so new domains are rejected`,
    'Set POSTERN_DNS_SERVERS to DNS servers that this machine can reach, or set POSTERN_DNS_CHECK=off if the network has no DNS server.',
  );
}

/** The valid settings as text, by key; secrets are masked. A setting without a value is missing. */
export type ShownSettings = ReadonlyMap<string, string>;

/** The network settings that the checks compare. */
type Exposure = {
  readonly baseUrl: URL;
  /** Bind address. */
  readonly host: string;
  readonly usesTls: boolean;
  readonly trustedProxies: readonly Cidr[];
  /** Whether the header with the client address was configured. */
  readonly hasClientIpHeader: boolean;
};

/** Checks that the bind address, the base URL, and the trusted proxies are consistent. @param usesTls whether this server serves https */
export function checkExposure(
  settings: ShownSettings,
  { usesTls, hasClientIpHeader }: Pick<Exposure, 'usesTls' | 'hasClientIpHeader'>,
): readonly Check[] {
  const baseUrl = URL.parse(settings.get('baseUrl') ?? '');
  if (baseUrl === null) {
    return [
      { name: 'public-url', ...passed(INVALID_SETTINGS) },
      { name: 'client-address', ...passed(INVALID_SETTINGS) },
    ];
  }
  const exposure: Exposure = {
    baseUrl,
    usesTls,
    hasClientIpHeader,
    host: settings.get('host') ?? '127.0.0.1',
    trustedProxies: parseCidrs(settings.get('trustedProxies') ?? '') ?? [],
  };
  return [
    { name: 'public-url', ...checkPublicUrl(exposure) },
    { name: 'client-address', ...checkClientAddress(exposure) },
  ];
}

function checkPublicUrl({ baseUrl, host, trustedProxies }: Exposure): Finding {
  const { origin } = baseUrl;
  if (trustedProxies.length > 0 && baseUrl.protocol === 'http:') {
    return failed(
      `a proxy forwards requests, but the public URL is ${origin}: without https, browsers run the widget more slowly, and sessions are not protected`,
      'Configure https on the proxy, and set POSTERN_BASE_URL to the https URL.',
    );
  }
  if (!isLoopbackBind(host) && isLoopbackHost(baseUrl.hostname)) {
    return warning(
      `other machines can connect, but the public URL is ${origin}`,
      'Set POSTERN_BASE_URL to the public URL, or POSTERN_HOST to 127.0.0.1.',
    );
  }
  return passed(origin);
}

function isLoopbackBind(host: string): boolean {
  return host === '::1' || isLoopbackHost(host) || socketPathOf(host) !== undefined;
}

/** Checks that visitors do not all share the address of a proxy, because rate limits and difficulty depend on the address. */
function checkClientAddress(exposure: Exposure): Finding {
  const { host, trustedProxies } = exposure;
  if (socketPathOf(host) !== undefined) return passed('from the proxy on the Unix socket');
  const shared = 'all visitors share one address and one rate limit';
  const reason = trustedProxies.length === 0 ? signOfProxy(exposure) : undefined;
  if (reason !== undefined) {
    return failed(
      `${reason}, but no proxy is trusted, so ${shared}`,
      'Set POSTERN_TRUSTED_PROXIES to the addresses of the proxies from which this server receives requests.',
    );
  }
  if (trustedProxies.length > 0 && isLoopbackBind(host) && !trustsLoopback(host, trustedProxies)) {
    return failed(
      `this server receives requests only from ${host}, which is not a trusted proxy, so ${shared}`,
      'Add 127.0.0.1 and ::1 to POSTERN_TRUSTED_PROXIES.',
    );
  }
  if (trustedProxies.some(({ prefix }) => prefix === 0)) {
    return warning(
      'every address is a trusted proxy, so clients that connect directly can forge their address',
      'Set POSTERN_TRUSTED_PROXIES to the addresses of your proxies only.',
    );
  }
  return passed(trustedProxies.length === 0 ? 'of the connection' : 'from the trusted proxies');
}

/** @returns the reason to conclude that this server is behind a proxy; undefined if nothing indicates a proxy */
function signOfProxy({ baseUrl, host, usesTls, hasClientIpHeader }: Exposure): string | undefined {
  if (hasClientIpHeader) return 'POSTERN_CLIENT_IP_HEADER is set';
  if (baseUrl.protocol === 'https:' && !usesTls)
    return 'the public URL is https and this server uses http, so it is behind a proxy';
  if (isLoopbackBind(host) && !isLoopbackHost(baseUrl.hostname))
    return `the public URL is ${baseUrl.origin} and the bind address is ${host}, so it is behind a proxy`;
  if (!usesTls && isPrivate(host) && isPublic(baseUrl.hostname))
    return `the public URL is ${baseUrl.origin} and the bind address is private (${host}), so it is probably behind a proxy`;
  return undefined;
}

/** Private networks (RFC 1918) and unique local addresses (RFC 4193). */
const PRIVATE_BLOCKS = parseCidrs('10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7') ?? [];

/** Endings of names that are not in the public DNS (RFC 6761, RFC 6762, RFC 8375, RFC 9476, and common use). */
const LOCAL_NAME = /^[^.]+$|\.(?:test|example|invalid|local|home\.arpa|internal|alt|lan|home|corp|intranet)$/;

function isPrivate(address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && PRIVATE_BLOCKS.some((block) => isWithin(bytes, block));
}

/** @param host as in `URL.hostname` */
function isPublic(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (parseAddress(address) !== undefined) return !isPrivate(address) && !isLoopbackHost(host);
  return !isLoopbackHost(host) && !LOCAL_NAME.test(host);
}

function trustsLoopback(host: string, trusted: readonly Cidr[]): boolean {
  const candidates = host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
  return candidates.some((text) => {
    const address = parseAddress(text);
    return address !== undefined && trusted.some((block) => isWithin(address, block));
  });
}

/** A certificate that expires within this time fails the check, or within a third of its lifetime if that is shorter. */
const EXPIRES_SOON = 14 * DAY;

const RENEW = 'Renew the certificate, and send SIGHUP to the server so that it loads the new files.';
const REPLACE =
  'Set POSTERN_TLS_CERT to a PEM file with the certificate chain and POSTERN_TLS_KEY to its private key.';

/** Checks the certificate and its key. @param host the host of the base URL, if it is known and public */
export function checkTls(certFile: string, keyFile: string, host: string | undefined, now: Instant): Check {
  return runCheck('tls', REPLACE, () => {
    const certificate = readPem(certFile, 'certificate', (pem) => new X509Certificate(pem));
    const key = readPem(keyFile, 'private key', createPrivateKey);
    if (!certificate.checkPrivateKey(key)) return failed(`${keyFile} is not the key of ${certFile}`, REPLACE);
    const found = problemIn(certificate, host, now);
    return found === undefined ? passed(validityOf(certificate)) : failed(...found);
  });
}

/** @returns the problem and its fix */
function problemIn(
  certificate: X509Certificate,
  host: string | undefined,
  now: Instant,
): readonly [string, string] | undefined {
  const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const validity = validityOf(certificate);
  if (from > now) {
    const fix = 'Check the clock of this machine, or use a certificate that is valid now.';
    return ['the certificate is not valid yet', fix];
  }
  if (until <= now) return [`the certificate has expired; it was ${validity}`, RENEW];
  if (until <= now + Math.min(EXPIRES_SOON, (until - from) / 3))
    return [`the certificate expires soon; it is ${validity}`, RENEW];
  if (host !== undefined && !covers(certificate, host)) {
    const fix = `Use a certificate for ${host}, or set POSTERN_BASE_URL to a URL that the certificate covers.`;
    return [`${validity}, but not for ${host}, the host of the base URL`, fix];
  }
  return undefined;
}

function validityOf({ validTo }: X509Certificate): string {
  return `valid until ${toIso(Date.parse(validTo) as Instant)}`;
}

/** @param host as in `URL.hostname` */
function covers(certificate: X509Certificate, host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const isAddress = parseAddress(address) !== undefined;
  return (isAddress ? certificate.checkIP(address) : certificate.checkHost(host)) !== undefined;
}

function readPem<T>(file: string, kind: string, parse: (pem: Buffer) => T): T {
  const pem = readFileSync(file);
  try {
    return parse(pem);
  } catch (cause) {
    throw new Error(`${file} does not contain a valid ${kind}: ${reasonOf(cause)}`, { cause });
  }
}

const ONE_PRIMARY =
  'Stop the server with the lower timeline, and make it a standby of the other one before you start it again. Claims and changes that it stored in the meantime are missing from the other server.';
const SAME_TIMELINE =
  'The timelines do not show which server is newer. In the database of each server, run: SELECT max(seen_at) FROM nodes; Keep the server with the newest time, because the nodes used it last. Stop the other one, and make it a standby of the first before you start it again. Claims and changes that only the stopped server has stored are lost. If nodes may have used both servers, then run "postern keys rotate-signing --revoke-old", so that no solution is accepted again.';
const NOT_COPIES = 'Remove the server that does not belong to this installation from POSTERN_DATABASE_URL.';
const FIXES = { 'same-timeline': SAME_TIMELINE, 'not-copies': NOT_COPIES } as const;

/** Checks which of several database servers accept writes. @returns an empty list if the URL names only one server, or none */
export async function checkDatabaseServers(settings: EngineSettings): Promise<readonly Check[]> {
  if (settings.database === undefined || settings.database.hosts.length === 1) return [];
  const servers = (await postgresEngine(settings)?.readServers()) ?? [];
  return [{ name: 'database-servers', ...checkServers(servers) }];
}

function checkServers(servers: readonly ServerState[]): Finding {
  const writable = servers.filter(({ isWritable }) => isWritable);
  const names = writable.map(describeServer).join(', ');
  if (writable.length > 1) {
    const conflict = findConflict(writable);
    const detail =
      conflict === undefined
        ? `several servers accept writes: ${names}`
        : describeConflict(conflict, writable);
    return failed(detail, conflict === undefined ? ONE_PRIMARY : FIXES[conflict]);
  }
  const missing = servers.flatMap(({ name: server, failure }) =>
    failure === undefined ? [] : [`${server} does not respond: ${failure}`],
  );
  const primary = names === '' ? 'no server accepts writes' : `the primary is ${names}`;
  if (missing.length === 0) return passed(primary);
  return warning(
    `${primary}; ${missing.join('; ')}`,
    'Start the server, or remove it from POSTERN_DATABASE_URL.',
  );
}
