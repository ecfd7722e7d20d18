import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Instant } from '../lib/time.ts';

/** A certificate with its private key. */
export type Certificate = ReturnType<typeof readCertificate>;

const KEY = /-----BEGIN (?:EC |RSA )?PRIVATE KEY-----[\s\S]+?-----END (?:EC |RSA )?PRIVATE KEY-----/;
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Reads a private key and a certificate chain.
 *
 * @param pem the key and the chain, in any order
 * @throws if one of them is missing or invalid, or if they do not match
 */
export function readCertificate(pem: string) {
  const [key] = KEY.exec(pem) ?? [];
  const certificates = pem.match(CERTIFICATES) ?? [];
  const [first] = certificates;
  if (key === undefined || first === undefined)
    throw new Error('the private key or the certificate is missing');
  const leaf = new X509Certificate(first);
  for (const other of certificates.slice(1)) new X509Certificate(other);
  if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error('the private key does not match');
  return {
    /** The private key and the chain in PEM format, as stored in one file. */
    pem,
    /** The certificate and its intermediate certificates in PEM format. */
    chain: `${certificates.join('\n')}\n`,
    /** The private key in PEM format. */
    key: `${key}\n`,
    notBefore: Date.parse(leaf.validFrom) as Instant,
    notAfter: Date.parse(leaf.validTo) as Instant,
    /** Whether the certificate is valid for a domain. */
    covers: (domain: string): boolean => leaf.checkHost(domain) !== undefined,
    /** A number from 0 to 1, exclusive, that is always the same for this certificate. */
    fraction: Number.parseInt(leaf.fingerprint256.replaceAll(':', '').slice(0, 8), 16) / 2 ** 32,
  };
}

/**
 * Returns the time at which a certificate is renewed: when one third of its lifetime remains, as Let's Encrypt recommends,
 * plus up to 1/30 of the lifetime, so that servers that were set up at the same time do not renew at the same time.
 */
export function renewalTime({ notBefore, notAfter, fraction }: Certificate): Instant {
  const lifetime = notAfter - notBefore;
  return (notAfter - lifetime / 3 + (fraction * lifetime) / 30) as Instant;
}

/** @returns whether less than one sixth of the lifetime remains, which means that renewals have failed for a long time */
export function isUrgent({ notBefore, notAfter }: Certificate, now: Instant): boolean {
  return notAfter - now < (notAfter - notBefore) / 6;
}

/** The path of a response to an HTTP-01 challenge begins with this (RFC 8555, section 8.3). */
export const CHALLENGE_PATH = '/.well-known/acme-challenge/';

/** The responses to the HTTP-01 challenges of the current order, in memory. */
export type Challenges = ReturnType<typeof createChallenges>;

export function createChallenges() {
  const responses = new Map<string, string>();
  return {
    /** @returns the response; undefined if there is no such challenge */
    find: (token: string): string | undefined => responses.get(token),
    add: (token: string, response: string): void => void responses.set(token, response),
    clear: (): void => responses.clear(),
  };
}
