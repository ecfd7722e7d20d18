import { Database } from 'bun:sqlite';
import { CLAIM_SIZE, FINGERPRINT } from '../../src/storage/ledgerClient/claimProtocol.ts';

/** The puzzles in a claims file. */
export type StoredClaims = {
  readonly puzzles: number;
  /** The sum over all puzzles. */
  readonly presentations: number;
  /** The highest number of presentations of a puzzle. */
  readonly most: number;
};

/** Reads a claims file. A server may be using the file. */
export function readStoredClaims(file: string): StoredClaims {
  const database = new Database(file, { readonly: true });
  try {
    return database.transaction(() => summarize(database))();
  } finally {
    database.close();
  }
}

/** The ledger stores the counts of recent puzzles in a log of groups, from which it moves them to the table `claims`. */
function summarize(database: Database): StoredClaims {
  const counts = new Map<string, number>();
  const moved = database.query('SELECT expires_at, puzzle_id, presentations FROM claims');
  for (const [expiresAt, id, count] of moved.values() as [number, Uint8Array, number][]) {
    counts.set(`${expiresAt} ${id.toHex()}`, count);
  }
  const log = database.query('SELECT presentations FROM recent_claims ORDER BY id');
  for (const [group] of log.values() as [Uint8Array][]) {
    const view = new DataView(group.buffer, group.byteOffset);
    for (let at = 0; at < group.length; at += CLAIM_SIZE) {
      const id = group.subarray(at + 4, at + FINGERPRINT);
      counts.set(`${view.getUint32(at, true)} ${id.toHex()}`, view.getUint32(at + FINGERPRINT, true));
    }
  }
  const values = [...counts.values()];
  const presentations = values.reduce((sum, count) => sum + count, 0);
  return {
    puzzles: values.length,
    presentations,
    most: values.reduce((most, value) => Math.max(most, value), 0),
  };
}
