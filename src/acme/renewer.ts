import { setTimeout as waitFor } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { type Clock, HOUR, type Instant, later, MINUTE, SECOND, toIso } from '../lib/time.ts';
import { type Certificate, isUrgent, renewalTime } from './certificate.ts';
import { acquireLease, pauseAfter } from './lease.ts';
import { type OrderOptions, orderCertificate } from './order.ts';
import { AcmeFailure, toFailure } from './problem.ts';
import { type AcmeStore, openAcmeStore } from './store.ts';

/** The maximum interval between checks of the data folder. Short enough to notice that the clock was changed. */
const LONGEST_WAIT = HOUR;
/** The same while the certificate does not cover all domains, because another server may obtain it. */
const WAIT_WITHOUT_CERTIFICATE = 10 * SECOND;
/** The pause after a failure to read or write the folder. */
const STORAGE_PAUSE = 5 * MINUTE;

export type RenewerOptions = Omit<OrderOptions, 'accountKey' | 'signal'> & {
  /** The folder for the account key, the certificate, and the state. */
  readonly folder: string;
  /** Called with the stored certificate before `startRenewer` returns, and with each new certificate. */
  readonly onCertificate: (certificate: Certificate) => void;
  readonly log: Log;
  readonly clock: Clock;
  /** From 0 to 1, exclusive. */
  readonly random: () => number;
  /** Waits; rejects when the signal is aborted. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
};

/** Obtains a certificate and renews it, in the background. */
export type Renewer = ReturnType<typeof startRenewer>;

type Run = RenewerOptions & {
  readonly store: AcmeStore;
  readonly signal: AbortSignal;
  /** The certificate in use. */
  current: Certificate | undefined;
  /** A new certificate that could not be stored. */
  unsaved: Certificate | undefined;
  /** No attempt starts before this time, even if the state cannot be stored. */
  heldUntil: Instant;
};

/** Starts to obtain and renew a certificate. @throws if the folder cannot be used */
export function startRenewer(options: RenewerOptions) {
  const { folder, domains, log, clock } = options;
  const stopping = new AbortController();
  const store = openAcmeStore({ folder, domains, pauseMs: STORAGE_PAUSE, log, clock });
  const signal = stopping.signal;
  const run: Run = {
    ...options,
    store,
    signal,
    current: undefined,
    unsaved: undefined,
    heldUntil: 0 as Instant,
  };
  load(run, 'start');
  logStart(run);
  const ended = loop(run);
  return {
    /** Applies the stored certificate again. @returns false if there is none */
    reload(): boolean {
      load(run);
      if (run.current === undefined) return false;
      options.onCertificate(run.current);
      return true;
    },
    /** Cancels an order that is in progress. */
    async stop(): Promise<void> {
      stopping.abort();
      await ended;
    },
  };
}

async function loop(run: Run): Promise<void> {
  const wait = run.wait ?? ((milliseconds, signal) => waitFor(milliseconds, undefined, { signal }));
  while (!run.signal.aborted) {
    const pause = await step(run).catch((error: unknown) =>
      handleFailure(run, 1, toFailure(error, 'storage')),
    );
    const longest = isComplete(run) ? LONGEST_WAIT : WAIT_WITHOUT_CERTIFICATE;
    await wait(Math.min(pause, longest), run.signal).catch(() => {});
  }
}

/** Makes an attempt if one is due. @returns milliseconds until the next step */
async function step(run: Run): Promise<number> {
  load(run);
  if (timeUntilDue(run) > 0) return timeUntilDue(run);
  const release = acquireLease(run.store.folder, run.clock());
  if (release === undefined) return WAIT_WITHOUT_CERTIFICATE;
  try {
    // The last holder of the lease may have stored a certificate or failed.
    load(run);
    if (timeUntilDue(run) <= 0) await attempt(run);
  } finally {
    release();
  }
  return Math.max(0, timeUntilDue(run));
}

/** Applies the stored certificate if it is new and is valid for one of the domains. */
function load(run: Run, from: 'start' | 'another server' = 'another server'): void {
  const stored = run.store.readCertificate();
  if (stored === undefined || stored.pem === run.current?.pem || run.unsaved !== undefined) return;
  if (!run.domains.some(stored.covers)) return;
  apply(run, stored);
  run.log.info('certificate-loaded', { ...describe(stored), from });
}

function apply(run: Run, certificate: Certificate): void {
  run.current = certificate;
  run.onCertificate(certificate);
}

/** @returns milliseconds until the next attempt; at most 0 if it is due */
function timeUntilDue(run: Run): number {
  const now = run.clock();
  const dueAt = isComplete(run) && run.current !== undefined ? renewalTime(run.current) : now;
  return Math.max(dueAt, run.store.readState()?.nextAttemptAt ?? now, run.heldUntil) - now;
}

/** Whether the certificate in use is stored and covers all domains. */
function isComplete({ current, unsaved, domains }: Run): boolean {
  return current !== undefined && unsaved === undefined && domains.every(current.covers);
}

async function attempt(run: Run): Promise<void> {
  const { store, log } = run;
  const failures = (store.readState()?.failures ?? 0) + 1;
  // The attempt counts as a failure until it succeeds, so that a server that is killed repeatedly does not overload the CA.
  scheduleNext(run, failures, undefined);
  try {
    const isRenewal = isComplete(run);
    const certificate = run.unsaved ?? (await order(run));
    run.unsaved = certificate;
    if (run.current !== certificate) apply(run, certificate);
    store.writeCertificate(certificate);
    run.unsaved = undefined;
    store.removeState();
    const fields = { domains: run.domains.join(','), ...describe(certificate) };
    if (isRenewal) log.info('certificate-renewed', fields);
    else log.info('certificate-obtained', fields);
  } catch (error) {
    handleFailure(run, failures, toFailure(error, 'storage'));
  }
}

async function order(run: Run): Promise<Certificate> {
  const certificate = await orderCertificate({ ...run, accountKey: await run.store.readAccountKey() });
  // Otherwise, the server would immediately request the next certificate.
  if (renewalTime(certificate) > run.clock()) return certificate;
  throw new AcmeFailure(
    'invalid-response',
    `the CA issued a certificate that expires at ${toIso(certificate.notAfter)}; check the clock of this machine`,
  );
}

/** Stores the time of the next attempt, and logs the failure. @returns milliseconds until then */
function handleFailure(run: Run, failures: number, failure: AcmeFailure): number {
  // The stored state already describes an interrupted attempt.
  if (run.signal.aborted) return 0;
  const nextAttemptAt = holdBack(run, failures, failure);
  const { log, current, clock, domains } = run;
  const { problem, message: detail } = failure;
  const fields = {
    domains: domains.join(','),
    problem,
    detail,
    failures,
    next_attempt: toIso(nextAttemptAt),
  };
  if (current === undefined || isUrgent(current, clock())) log.error('certificate-failed', fields);
  else log.warn('renewal-failed', fields);
  return nextAttemptAt - clock();
}

/** Schedules the next attempt in memory, even if the state cannot be stored. */
function holdBack(run: Run, failures: number, failure: AcmeFailure): Instant {
  try {
    return scheduleNext(run, failures, failure);
  } catch {
    run.heldUntil = later(run.clock(), STORAGE_PAUSE);
    return run.heldUntil;
  }
}

/** @param failure undefined while the attempt is in progress @throws if the state cannot be stored */
function scheduleNext(run: Run, failures: number, failure: AcmeFailure | undefined): Instant {
  const now = run.clock();
  const nextAttemptAt = later(now, pauseAfter(failures, failure, run.random()));
  run.store.writeState({
    domains: run.domains,
    failures,
    attemptedAt: now,
    nextAttemptAt,
    problem: failure?.problem ?? 'interrupted',
    detail: failure?.message ?? 'the server ended during the order',
  });
  return nextAttemptAt;
}

function describe(certificate: Certificate) {
  return { expires: toIso(certificate.notAfter), renewal: toIso(renewalTime(certificate)) };
}

function logStart(run: Run): void {
  if (run.current !== undefined) return;
  const nextAttempt = later(run.clock(), Math.max(0, timeUntilDue(run)));
  run.log.info('certificate-awaited', { domains: run.domains.join(','), next_attempt: toIso(nextAttempt) });
}
