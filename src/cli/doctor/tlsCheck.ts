import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseAddress } from '../../lib/address.ts';
import { reasonOf } from '../../lib/log.ts';
import { DAY, type Instant, toIso } from '../../lib/time.ts';
import { type Check, failed, passed, runCheck } from './check.ts';

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
    if (!certificate.checkPrivateKey(key)) {
      return failed('tls', `${keyFile} is not the key of ${certFile}`, REPLACE);
    }
    const found = problemIn(certificate, host, now);
    return found === undefined ? passed('tls', validityOf(certificate)) : failed('tls', ...found);
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
  if (until <= now + Math.min(EXPIRES_SOON, (until - from) / 3)) {
    return [`the certificate expires soon; it is ${validity}`, RENEW];
  }
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
