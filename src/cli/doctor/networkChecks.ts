import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { reasonOf } from '../../lib/log.ts';
import { DAY, type Instant, toIso } from '../../lib/time.ts';
import { createDnsLookup } from '../../server/dnsLookup.ts';
import { type Check, failed, passed, runCheck, warning } from './check.ts';

/** The detail of a check that depends on settings that are invalid. */
const INVALID_SETTINGS = 'not checked, because settings are invalid';

/** A certificate that expires within this time causes a warning. */
const EXPIRES_SOON = 14 * DAY;

/** Checks the certificate and its key. @param host the host of the base URL, if it is known and public */
export function checkTls(certFile: string, keyFile: string, host: string | undefined, now: Instant): Check {
  return runCheck('tls', () => {
    const certificate = readPem(certFile, 'certificate', (pem) => new X509Certificate(pem));
    const key = readPem(keyFile, 'private key', createPrivateKey);
    if (!certificate.checkPrivateKey(key)) return failed('tls', `${keyFile} is not the key of ${certFile}`);
    const until = Date.parse(certificate.validTo);
    const detail = `valid until ${toIso(until as Instant)}`;
    if (Date.parse(certificate.validFrom) > now) return failed('tls', 'the certificate is not valid yet');
    if (until <= now) return failed('tls', `the certificate has expired; it was ${detail}`);
    if (until <= now + EXPIRES_SOON) return warning('tls', detail);
    if (host !== undefined && certificate.checkHost(host) === undefined) {
      return warning('tls', `${detail}, but not for ${host}, the host of the base URL`);
    }
    return passed('tls', detail);
  });
}

function readPem<T>(file: string, kind: string, parse: (pem: Buffer) => T): T {
  const pem = readFileSync(file);
  try {
    return parse(pem);
  } catch (cause) {
    throw new Error(`${file} does not contain a valid ${kind}: ${reasonOf(cause)}`, { cause });
  }
}

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
  return warning(
    'dns',
    `${servers}: no response within ${config.dnsTimeoutMs} ms; new domains are rejected until the servers respond or POSTERN_DNS_CHECK is off`,
  );
}

/** The valid settings as text, by key; secrets are masked. */
export type ShownSettings = ReadonlyMap<string, string>;

/** Checks that the bind address, the base URL, and the trusted proxies are consistent. */
export function checkExposure(settings: ShownSettings): Check {
  const baseUrl = settings.get('baseUrl');
  if (baseUrl === undefined) return passed('exposure', INVALID_SETTINGS);
  const isHttps = baseUrl.startsWith('https:');
  const hasProxies = settings.has('trustedProxies');
  if (hasProxies && !isHttps) {
    return warning(
      'exposure',
      `proxies are trusted, but the base URL is ${baseUrl}; if visitors use https, set POSTERN_BASE_URL to the https URL`,
    );
  }
  if (isHttps && !settings.has('tlsCert') && !hasProxies) {
    return warning(
      'exposure',
      'the base URL is https, but this server uses http, so it is behind a proxy; without POSTERN_TRUSTED_PROXIES, all visitors share the address of the proxy and one rate limit',
    );
  }
  const isLocalUrl = ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(baseUrl)?.hostname ?? '');
  const isLocalBind = ['localhost', '127.0.0.1', '::1'].includes(settings.get('host') ?? '127.0.0.1');
  if (!isLocalBind && isLocalUrl) {
    return warning(
      'exposure',
      `other machines can connect, but the base URL is ${baseUrl}; set POSTERN_BASE_URL to the public URL`,
    );
  }
  return passed('exposure', baseUrl);
}
