import type { Log } from '../lib/log.ts';
import { type Instant, toIso } from '../lib/time.ts';
import { findOlderData, newestOf } from '../model/dataCounter.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import { readU32 } from '../puzzle/puzzle.ts';
import type { ServerLedger } from '../storage/storage.ts';
import type { Services } from './services.ts';

/** The latest expiration of a puzzle, in Unix seconds. */
const LATEST_EXPIRATION = 2 ** 32 - 1;

type Deps = { readonly services: Pick<Services, 'signingKeys'>; readonly log: Log };

/**
 * Rejects all earlier puzzles if claims are missing, or if data is older than it was before. An older main database contains the
 * signing keys that were revoked since then, so its puzzles are rejected too, although the claims are complete.
 *
 * @param mark the counter outside of the data folder, which was read before the storage was opened; 0 if there is none
 * @returns whether data-rolled-back was logged
 */
export async function rejectUnsafePuzzles(
  { services, log }: Deps,
  ledger: Pick<ServerLedger, 'purge' | 'hasLostClaims' | 'counter'>,
  mark: number,
): Promise<boolean> {
  if (ledger.hasLostClaims()) {
    if (await rejectEarlierPuzzles(services, ledger)) log.error('claims-lost');
    return false;
  }
  const found = ledger.counter?.found;
  if (found === undefined) return false;
  const older = findOlderData(found, mark);
  if (older === undefined) return false;
  await rejectEarlierPuzzles(services, ledger);
  log.error('data-rolled-back', {
    files: older === 'main' ? 'postern.sqlite' : 'postern.sqlite claims.sqlite',
    data_time: timeOf(older === 'main' ? found.mainAfterward : found.claims),
    newest_time: timeOf(newestOf(found, mark)),
  });
  return true;
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
  { signingKeys }: Deps['services'],
  ledger: Pick<ReplayLedger, 'purge'>,
): Promise<boolean> {
  const keys = await signingKeys.list();
  await ledger.purge(
    LATEST_EXPIRATION,
    keys.map(({ fingerprint }) => readU32(fingerprint, 0)),
  );
  return signingKeys.replaceAfterLoss();
}
