import type { Config } from '../../config.ts';
import { type Cidr, isLoopbackHost, isWithin, parseAddress } from '../../lib/address.ts';
import { parseCidrs, socketPathOf } from '../../lib/parse.ts';
import { createDnsLookup } from '../../server/dnsLookup.ts';
import { type Check, failed, passed, warning } from './check.ts';

/** The detail of a check that depends on settings that are invalid. */
const INVALID_SETTINGS = 'not checked, because settings are invalid';

/** Reserved for documentation (RFC 2606). Every DNS server with access to the public DNS resolves it. */
const KNOWN_DOMAIN = 'example.com';

/** Checks that the DNS servers respond. A response that the domain does not exist is sufficient. */
export async function checkDns(config: Config | undefined): Promise<Check> {
  if (config === undefined) return passed('dns', INVALID_SETTINGS);
  const lookup = createDnsLookup(config);
  if (lookup === undefined) return passed('dns', 'not used');
  const servers = config.dnsServers?.join(', ') ?? "the system's servers";
  const { resolution } = await lookup(KNOWN_DOMAIN);
  if (resolution !== 'unanswered') return passed('dns', `${servers}: responding`);
  return failed(
    'dns',
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
  if (baseUrl === null)
    return [passed('public-url', INVALID_SETTINGS), passed('client-address', INVALID_SETTINGS)];
  const exposure: Exposure = {
    baseUrl,
    usesTls,
    hasClientIpHeader,
    host: settings.get('host') ?? '127.0.0.1',
    trustedProxies: parseCidrs(settings.get('trustedProxies') ?? '') ?? [],
  };
  return [checkPublicUrl(exposure), checkClientAddress(exposure)];
}

function checkPublicUrl({ baseUrl, host, trustedProxies }: Exposure): Check {
  const { origin } = baseUrl;
  if (trustedProxies.length > 0 && baseUrl.protocol === 'http:') {
    return failed(
      'public-url',
      `a proxy forwards requests, but the public URL is ${origin}: without https, browsers run the widget more slowly, and sessions are not protected`,
      'Configure https on the proxy, and set POSTERN_BASE_URL to the https URL.',
    );
  }
  if (!isLoopbackBind(host) && isLoopbackHost(baseUrl.hostname)) {
    return warning(
      'public-url',
      `other machines can connect, but the public URL is ${origin}`,
      'Set POSTERN_BASE_URL to the public URL, or POSTERN_HOST to 127.0.0.1.',
    );
  }
  return passed('public-url', origin);
}

function isLoopbackBind(host: string): boolean {
  return host === '::1' || isLoopbackHost(host) || socketPathOf(host) !== undefined;
}

/** Checks that visitors do not all share the address of a proxy, because rate limits and difficulty depend on the address. */
function checkClientAddress(exposure: Exposure): Check {
  const { host, trustedProxies } = exposure;
  if (socketPathOf(host) !== undefined) return passed('client-address', 'from the proxy on the Unix socket');
  const shared = 'all visitors share one address and one rate limit';
  const reason = trustedProxies.length === 0 ? signOfProxy(exposure) : undefined;
  if (reason !== undefined) {
    return failed(
      'client-address',
      `${reason}, but no proxy is trusted, so ${shared}`,
      'Set POSTERN_TRUSTED_PROXIES to the addresses of the proxies from which this server receives requests.',
    );
  }
  if (trustedProxies.length > 0 && isLoopbackBind(host) && !trustsLoopback(host, trustedProxies)) {
    return failed(
      'client-address',
      `this server receives requests only from ${host}, which is not a trusted proxy, so ${shared}`,
      'Add 127.0.0.1 and ::1 to POSTERN_TRUSTED_PROXIES.',
    );
  }
  if (trustedProxies.some(({ prefix }) => prefix === 0)) {
    return warning(
      'client-address',
      'every address is a trusted proxy, so clients that connect directly can forge their address',
      'Set POSTERN_TRUSTED_PROXIES to the addresses of your proxies only.',
    );
  }
  return passed(
    'client-address',
    trustedProxies.length === 0 ? 'of the connection' : 'from the trusted proxies',
  );
}

/** @returns the reason to conclude that this server is behind a proxy; undefined if nothing indicates a proxy */
function signOfProxy({ baseUrl, host, usesTls, hasClientIpHeader }: Exposure): string | undefined {
  if (hasClientIpHeader) return 'POSTERN_CLIENT_IP_HEADER is set';
  if (baseUrl.protocol === 'https:' && !usesTls) {
    return 'the public URL is https and this server uses http, so it is behind a proxy';
  }
  if (isLoopbackBind(host) && !isLoopbackHost(baseUrl.hostname)) {
    return `the public URL is ${baseUrl.origin} and the bind address is ${host}, so it is behind a proxy`;
  }
  if (!usesTls && isPrivate(host) && isPublic(baseUrl.hostname)) {
    return `the public URL is ${baseUrl.origin} and the bind address is private (${host}), so it is probably behind a proxy`;
  }
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
