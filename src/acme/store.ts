import { createPrivateKey } from 'node:crypto';
import { type Log, reasonOf } from '../lib/log.ts';
import { type Clock, later } from '../lib/time.ts';
import { type Certificate, readCertificate } from './certificate.ts';
import { type AcmeFile, openAcmeFiles } from './files.ts';
import { createKey } from './order.ts';
import { type AcmeState, formatState, parseState } from './state.ts';

/** The stored certificate, account key, and state of one CA. Damaged files are logged, renamed, and replaced. */
export type AcmeStore = ReturnType<typeof openAcmeStore>;

export type AcmeStoreOptions = {
  readonly folder: string;
  readonly domains: readonly string[];
  /** The pause after a state that cannot be read, in milliseconds. */
  readonly pauseMs: number;
  readonly log: Log;
  readonly clock: Clock;
};

/** @throws if the folder or one of its files cannot be read and written */
export function openAcmeStore({ folder, domains, pauseMs, log, clock }: AcmeStoreOptions) {
  const files = openAcmeFiles(folder);
  files.clean(clock());
  let last: Certificate | undefined;
  const isForDomains = (state: AcmeState) => state.domains.join() === domains.join();

  function reportDamage(file: AcmeFile, reason: string): void {
    log.warn('acme-file-damaged', { file, reason, renamed_to: files.setAside(file) });
  }

  function readStored(): Certificate | undefined {
    const pem = files.read('certificate.pem');
    if (pem === undefined || pem === last?.pem) return pem === undefined ? undefined : last;
    try {
      last = readCertificate(pem);
      return last;
    } catch (error) {
      reportDamage('certificate.pem', reasonOf(error));
      return undefined;
    }
  }

  function readState(): AcmeState | undefined {
    const text = files.read('state.json');
    if (text === undefined) return undefined;
    const now = clock();
    const stored = parseState(text, now);
    if (stored === undefined) reportDamage('state.json', 'the file is not a valid state');
    // The number of attempts is unknown, so the server waits as it does after the first failure.
    const state = stored ?? createUnknownState(domains, now, pauseMs);
    const normalized = formatState(state);
    if (normalized !== text) files.write('state.json', normalized);
    return isForDomains(state) ? state : undefined;
  }

  async function readAccountKey(): Promise<string> {
    const stored = files.read('account-key.pem');
    const reason = stored === undefined ? undefined : findKeyError(stored);
    if (stored !== undefined && reason === undefined) return stored;
    if (reason !== undefined) reportDamage('account-key.pem', reason);
    const key = await createKey();
    files.write('account-key.pem', key);
    return key;
  }

  return {
    folder,
    /** @returns undefined if no valid certificate is stored */
    readCertificate: readStored,
    writeCertificate: ({ pem }: Certificate): void => files.write('certificate.pem', pem),
    /** Creates the account's private key if it does not exist. @returns the key in PEM format */
    readAccountKey,
    /** @returns undefined if there was no attempt since the last certificate, or only attempts for other domains */
    readState,
    writeState: (state: AcmeState): void => files.write('state.json', formatState(state)),
    removeState: (): void => files.remove('state.json'),
  };
}

function createUnknownState(domains: readonly string[], now: ReturnType<Clock>, pauseMs: number): AcmeState {
  return {
    domains,
    failures: 1,
    attemptedAt: now,
    nextAttemptAt: later(now, pauseMs),
    problem: 'unknown',
    detail: 'the stored state was damaged',
  };
}

/** @returns undefined if the text is a private key */
function findKeyError(pem: string): string | undefined {
  try {
    createPrivateKey(pem);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
