import { promises } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Closing } from '../lib/closing.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { startPeriodic } from '../lib/periodic.ts';
import { type Clock, type Instant, MINUTE, toIso } from '../lib/time.ts';
import { timer, within } from '../lib/timer.ts';
import { findOlderData, newestOf } from '../model/dataCounter.ts';
import { LATEST_EXPIRATION, type ReplayLedger } from '../model/ports/replayLedger.ts';
import { readU32 } from '../puzzle/puzzle.ts';
import type { DataCounter, ServerLedger } from '../storage/storage.ts';
import { type ClaimTime, sharedNow, watchLedger } from './claimWatch.ts';
import type { Meters } from './meters.ts';
import type { Services } from './services.ts';
import type { ThreadState } from './threads/memory.ts';

/** What a server needs to open its ledger. */
export type CheckedLedgerOptions = {
  readonly config: Pick<Config, 'replayDurability' | 'markDir' | 'cacheDir'>;
  readonly services: Services;
  readonly log: Log;
  readonly clock: Clock;
  readonly meters: Pick<Meters, 'recordCommit' | 'areClaimsLost' | 'isDataRolledBack'>;
  readonly oldestClaims: ThreadState['oldestClaims'];
  /** Interval at which the counter of the data increases; a minute by default. */
  readonly countEveryMs?: number;
  readonly claimTime?: ClaimTime;
};

/**
 * Opens the ledger, rejects the puzzles whose claims may be missing, and starts to increase the counter of the data.
 *
 * @param closing receives the functions that stop what was started
 * @param part the name of the ledger in `closing`
 */
export async function openCheckedLedger(
  options: CheckedLedgerOptions,
  closing: Closing,
  part: string,
): Promise<ServerLedger> {
  const { config, services, log, clock, meters, countEveryMs: everyMs = MINUTE } = options;
  const mark = createDataMark(config, services.installationId, log);
  // Before the counters of the databases; see Counters.
  const marked = (await mark?.read()) ?? 0;
  const ledger: ServerLedger = await openLedger(options, async () => {
    await rejectEarlierPuzzles(services.signingKeys, ledger);
    log.error('claims-lost');
    meters.areClaimsLost = true;
    // Records that the puzzles were rejected, so that the next start does not reject others.
    await ledger.counter?.advance(Math.ceil(clock()));
  });
  closing.add(part, ledger.close);
  const loss = await rejectUnsafePuzzles(options, ledger, marked);
  meters.areClaimsLost = loss === 'claims-lost';
  const { counter } = ledger;
  if (counter === undefined) return ledger;
  meters.isDataRolledBack = loss === 'data-rolled-back';
  const isPaused = services.maintenance.hasFailed;
  closing.add('data counter', await startDataCounting({ counter, mark, marked, clock, everyMs, isPaused }));
  return ledger;
}

/** Opens the ledger with a deadline for each claim. */
async function openLedger(options: CheckedLedgerOptions, onLoss: () => Promise<void>): Promise<ServerLedger> {
  const { config, services, log, meters, oldestClaims, claimTime = { now: sharedNow, timer } } = options;
  const ledger = await services.storage.openLedger({
    durability: config.replayDurability,
    onCommit: meters.recordCommit,
    onLoss,
    onThread(event, reason) {
      if (event === 'ended') log.error('ledger-ended', { reason });
      else log.info('ledger-replaced');
    },
  });
  return watchLedger(ledger, oldestClaims, { log, ...claimTime });
}

/**
 * Rejects all earlier puzzles if claims are missing, or if data is older than it was before. An older main database contains the
 * signing keys that were revoked since then, so its puzzles are rejected too, although the claims are complete.
 *
 * @param mark the counter outside of the data folder, which was read before the storage was opened; 0 if there is none
 * @returns the event that was logged; undefined if nothing was lost, or if another node has logged it
 */
async function rejectUnsafePuzzles(
  { services: { signingKeys }, log }: CheckedLedgerOptions,
  ledger: Pick<ServerLedger, 'purge' | 'hasLostClaims' | 'counter'>,
  mark: number,
): Promise<'claims-lost' | 'data-rolled-back' | undefined> {
  if (ledger.hasLostClaims()) {
    if (!(await rejectEarlierPuzzles(signingKeys, ledger))) return undefined;
    log.error('claims-lost');
    return 'claims-lost';
  }
  const found = ledger.counter?.found;
  if (found === undefined) return undefined;
  const older = findOlderData(found, mark);
  if (older === undefined) return undefined;
  await rejectEarlierPuzzles(signingKeys, ledger);
  log.error('data-rolled-back', {
    files: older === 'main' ? 'postern.sqlite' : 'postern.sqlite claims.sqlite',
    data_time: timeOf(older === 'main' ? found.mainAfterward : found.claims),
    newest_time: timeOf(newestOf(found, mark)),
  });
  return 'data-rolled-back';
}

/** @returns the time that a counter stands for; `unknown` if no server has counted */
function timeOf(counter: number): string {
  return counter === 0 ? 'unknown' : toIso(counter as Instant);
}

/**
 * Rejects all puzzles of the existing signing keys, because the ledger cannot determine which of them are spent, and rotates the key.
 *
 * @returns false if another node has already done so
 */
async function rejectEarlierPuzzles(
  signingKeys: Services['signingKeys'],
  ledger: Pick<ReplayLedger, 'purge'>,
): Promise<boolean> {
  const keys = await signingKeys.list();
  await ledger.purge(
    LATEST_EXPIRATION,
    keys.map(({ fingerprint }) => readU32(fingerprint, 0)),
  );
  return signingKeys.replaceAfterLoss();
}

type Counting = {
  readonly counter: DataCounter;
  readonly mark: DataMark | undefined;
  /** The counter of the mark at the start; 0 if there was none. */
  readonly marked: number;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly isPaused: () => boolean;
};

/**
 * Raises the counter of the data at the start, and then at regular intervals. Call it after earlier puzzles were rejected, because a
 * server that is killed in between must detect older data again.
 *
 * @returns a function that stops it
 * @throws (rejects) if the counter cannot be stored at the start
 */
async function startDataCounting(options: Counting): Promise<() => Promise<void>> {
  const { counter, mark, marked, clock, everyMs, isPaused } = options;
  const now = () => Math.ceil(clock());

  async function advance(atLeast: number): Promise<void> {
    const value = await counter.advance(atLeast);
    mark?.write(value);
  }

  await advance(Math.max(now(), newestOf(counter.found, marked)));
  const periodic = startPeriodic({
    // Other writes report the failure, and the next run tries again.
    work: () => advance(now()).catch(() => {}),
    everyMs,
    isPaused,
  });
  return periodic.stop;
}

type DataMark = NonNullable<ReturnType<typeof createDataMark>>;

/** The latest time that JavaScript can represent (ECMA-262, section 21.4.1.1), in Unix milliseconds. */
const LATEST_TIME = 8.64e15;

/** If the file system does not respond for this time, the server starts without the mark. In milliseconds. */
const READ_MS = 2000;

/**
 * Opens a file outside of the data folder with the counter of the data, which shows that the whole folder was replaced with an older copy.
 *
 * @returns undefined if no folder is configured
 */
function createDataMark(
  { markDir, cacheDir }: Pick<Config, 'markDir' | 'cacheDir'>,
  installation: string,
  log: Log,
) {
  const folder = markDir ?? cacheDir;
  if (folder === undefined) return undefined;
  const file = join(folder, `postern-${installation}.json`);
  let isWriting = false;
  let isReported = false;

  /** Does not report a failure in the default folder, because not every service needs the mark. */
  function report(error: unknown): void {
    if (markDir !== undefined && !isReported) log.warn('data-mark-failed', { file, reason: reasonOf(error) });
    isReported = true;
  }

  return {
    /** @returns the counter; 0 if there is no mark of this installation, or it cannot be read within two seconds */
    async read(): Promise<number> {
      try {
        const text = promises.readFile(file, 'utf8');
        const late = () => new Error('the file system does not respond');
        return parseMark(await within(READ_MS, text, late), installation);
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== 'ENOENT') report(error);
        return 0;
      }
    },
    /** Begins to write the counter, unless an earlier call has not finished. */
    write(counter: number): void {
      if (isWriting) return;
      isWriting = true;
      replaceFile(file, `${JSON.stringify({ installation, counter })}\n`)
        .catch(report)
        .finally(() => {
          isWriting = false;
        });
    },
  };
}

/** @throws if the text is not a mark of the installation */
function parseMark(text: string, expected: string): number {
  const { installation, counter } = JSON.parse(text) as { installation?: unknown; counter?: unknown };
  const isCounter = typeof counter === 'number' && Number.isInteger(counter) && counter >= 0;
  if (installation !== expected || !isCounter || counter > LATEST_TIME)
    throw new Error('the file has unexpected content');
  return counter;
}

/** Replaces a file, so that it is complete at all times. */
async function replaceFile(file: string, text: string): Promise<void> {
  const partial = `${file}.${crypto.randomUUID()}`;
  try {
    const handle = await promises.open(partial, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await promises.rename(partial, file);
  } catch (error) {
    await promises.unlink(partial).catch(() => {});
    throw error;
  }
}
