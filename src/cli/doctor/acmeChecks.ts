import { existsSync, readdirSync, statSync } from 'node:fs';
// Not fetch, because it would use a proxy from the environment.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { join } from 'node:path';
import {
  type Certificate,
  CHALLENGE_PATH,
  isUrgent,
  readCertificate,
  renewalTime,
} from '../../acme/certificate.ts';
import { readAcmeFile, toAcmeFolder } from '../../acme/files.ts';
import { type AcmeState, parseState } from '../../acme/state.ts';
import type { Config } from '../../config.ts';
import { isLoopbackHost } from '../../lib/address.ts';
import { reasonOf } from '../../lib/log.ts';
import { type Instant, SECOND, toIso } from '../../lib/time.ts';
import { toConnectableHost } from '../healthcheck.ts';
import { UNKNOWN_CHALLENGE } from '../serve/automaticHttps.ts';
import { type Check, type Finding, failed, passed, runCheck, warning } from './check.ts';

const TIMEOUT = 3 * SECOND;
const CHECK_FILES =
  'Run the command as the user of the server. The server replaces damaged files when it starts.';
const START = 'Start the server, which requests a certificate.';
const FIX_PROBLEM =
  'Fix the cause of the problem; see docs/how-to/automatic-https.md. The server tries again at the given time.';

/** How much of a response is read, in bytes. */
const MAX_BODY_BYTES = 1024;

/** Checks the certificate of automatic HTTPS, and whether the CA can probably validate the domains. */
export async function checkAcme(config: Config | undefined, now: Instant): Promise<readonly Check[]> {
  if (config === undefined) return [{ name: 'acme', ...passed('not checked, because settings are invalid') }];
  if (config.acmeDomains.length === 0) return [{ name: 'acme', ...passed('not used') }];
  const folder = toAcmeFolder(config.dataDir, config.acmeDirectory);
  return [
    runCheck('acme', CHECK_FILES, () => checkStored(folder, config, now)),
    { name: 'acme-port', ...(await checkPort(config)) },
    { name: 'acme-domains', ...(await checkDomains(config)) },
  ];
}

function checkStored(folder: string, { acmeDomains }: Config, now: Instant): Finding {
  const exposed = findExposed(folder);
  if (exposed !== undefined) return failed(`other users can read ${exposed}`, `Run "chmod 600 ${exposed}".`);
  const text = readAcmeFile(folder, 'state.json');
  const state = text === undefined ? undefined : parseState(text, now);
  const pem = readAcmeFile(folder, 'certificate.pem');
  if (pem !== undefined) return checkStoredCertificate(readCertificate(pem), acmeDomains, state, now);
  if (state === undefined) return warning('no certificate yet', START);
  return failed(`no certificate yet; ${describeState(state)}`, FIX_PROBLEM);
}

function checkStoredCertificate(
  certificate: Certificate,
  domains: readonly string[],
  state: AcmeState | undefined,
  now: Instant,
): Finding {
  const last = state === undefined ? '' : `; ${describeState(state)}`;
  const until = toIso(certificate.notAfter);
  if (certificate.notAfter <= now)
    return failed(`the certificate expired at ${until}${last}`, state === undefined ? START : FIX_PROBLEM);
  const detail = `valid until ${until}, renewal at ${toIso(renewalTime(certificate))}${last}`;
  const missing = domains.filter((domain) => !certificate.covers(domain));
  if (missing.length > 0) return warning(`not yet valid for ${missing.join(', ')}; ${detail}`, START);
  if (state !== undefined) return warning(detail, FIX_PROBLEM);
  return isUrgent(certificate, now) ? warning(detail, START) : passed(detail);
}

function describeState({ failures, problem, detail, nextAttemptAt }: AcmeState): string {
  return `${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}, the last because of ${problem} (${detail}), next attempt at ${toIso(nextAttemptAt)}`;
}

/** @returns a file that users other than its owner can read; undefined if there is none */
function findExposed(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const files = readdirSync(folder)
    .filter((name) => name.includes('.pem'))
    .map((name) => join(folder, name));
  return files.find((file) => (statSync(file).mode & 0o077) !== 0);
}

async function checkPort({ host, acmeHttpPort, acmeDomains: [domain = ''] }: Config): Promise<Finding> {
  const result = await probe(`${toConnectableHost(host)}:${acmeHttpPort}`, domain);
  if (result === 'foreign') {
    const fix =
      'Stop the other program, or set POSTERN_ACME_HTTP_PORT to another port that the CA reaches as port 80.';
    return failed(`another program uses port ${acmeHttpPort}`, fix);
  }
  if (result !== 'postern') {
    const detail = `port ${acmeHttpPort} of this machine does not respond (${result})`;
    return warning(detail, 'Start the server.');
  }
  if (!isLoopbackHost(host) && host !== '::1') return passed(`port ${acmeHttpPort} responds`);
  return warning(
    `port ${acmeHttpPort} responds, but only on this machine, because POSTERN_HOST is ${host}`,
    'Set POSTERN_HOST to 0.0.0.0 or ::, unless another program on this machine forwards port 80 to this port.',
  );
}

/** Requests a challenge from port 80 of each domain, as the CA does. */
async function checkDomains({ acmeDomains }: Config): Promise<Finding> {
  const results = await Promise.all(
    acmeDomains.map(async (domain) => ({ domain, result: await probe(domain, domain) })),
  );
  const wrong = results.filter(({ result }) => result !== 'postern');
  if (wrong.length === 0) return passed('port 80 of every domain responds');
  const reasons = wrong.map(({ domain, result }) =>
    result === 'foreign' ? `${domain}: another server responds` : `${domain}: ${result}`,
  );
  return warning(
    `from this machine, port 80 does not lead to this server: ${reasons.join('; ')}`,
    'Check the DNS records, firewalls, and port forwarding. Ignore this if other networks can connect.',
  );
}

/** @returns `postern` or `foreign` for the program that responds to a challenge, or the reason why there is no response */
async function probe(target: string, domain: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = `http://${target}${CHALLENGE_PATH}doctor`;
      const request = requestHttp(url, { headers: { Host: domain }, signal });
      request.on('response', resolve);
      request.on('error', reject);
      request.end();
    });
    return (await readStart(response)) === UNKNOWN_CHALLENGE ? 'postern' : 'foreign';
  } catch (error) {
    return signal.aborted ? `no response within ${TIMEOUT / SECOND} seconds` : reasonOf(error);
  }
}

async function readStart(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.length > MAX_BODY_BYTES) break;
  }
  return text;
}
