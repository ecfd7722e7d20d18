import type { Transaction } from './postgres.ts';

/** The rows of an answer, and how many rows a statement has changed. */
export type Rows = readonly unknown[] & { count?: number };

type Storage = {
  /** All committed rows, by table and key. */
  readonly rows: ReadonlyMap<string, unknown>;
  readonly lock: (transaction: Transaction, key: string, next: () => void) => void;
  readonly isLocked: (key: string) => boolean;
};

type Repeat = { readonly expiresAt: number; readonly presentations: number; readonly maxCount: number };
type Done = (rows: Rows) => void;
type Statement = (transaction: Transaction, values: readonly unknown[], done: Done) => void;

const ID_SIZE = 8;

const counted = (count: number): Rows => Object.assign([], { count });
const hex = (value: unknown) => (value as Uint8Array).toHex();
const numbersIn = (text: unknown) => String(text).slice(1, -1).split(',').filter(Boolean).map(Number);

/** The ledger's statements, recognized by their text. A statement that is not in the table ends the schedule with an error. */
export function createStatements({ rows, lock, isLocked }: Storage) {
  const read = (transaction: Transaction, key: string): unknown =>
    transaction.changes.has(key) ? transaction.changes.get(key) : rows.get(key);

  function lockAll(transaction: Transaction, keys: readonly string[], next: () => void): void {
    const [first, ...rest] = keys;
    if (first === undefined) next();
    else lock(transaction, first, () => lockAll(transaction, rest, next));
  }

  /** The keys of the rows that a statement sees in a table when it starts. */
  const keysOf = (table: string) => [...rows.keys()].filter((key) => key.startsWith(table)).toSorted();

  /** The locks are acquired in the order of the keys; then the purges are read in a newer snapshot. */
  const claimPuzzles: Statement = (transaction, [expirations, ids], done) => {
    const bytes = ids as Uint8Array;
    const given = numbersIn(expirations).map(
      (expiration, i) =>
        `claims ${String(expiration).padStart(10, '0')}:${bytes.subarray(i * ID_SIZE, (i + 1) * ID_SIZE).toHex()}`,
    );
    const groups = Map.groupBy(given.toSorted(), (key) => key);
    lockAll(transaction, [...groups.keys()], () => {
      const repeated: string[] = [];
      for (const [key, { length }] of groups) {
        const presentations = ((read(transaction, key) as number | undefined) ?? 0) + length;
        transaction.changes.set(key, presentations);
        if (presentations > 1)
          repeated.push(`${key.slice('claims '.length).replace(/^0+/, '')}:${presentations}`);
      }
      const purges = keysOf('purged ').map(
        (key) => `${key.slice('purged '.length)}:${String(rows.get(key))}`,
      );
      done([[String(groups.size), repeated.join(',') || null, purges.join(',') || null]]);
    });
  };

  const findRepeat: Statement = (transaction, [hash, now, window], done) => {
    const row = read(transaction, `repeats ${hex(hash)}`) as Repeat | undefined;
    const [nowSeconds, seconds] = [Number(now), Number(window)];
    const isKnown =
      row !== undefined &&
      row.presentations > 0 &&
      row.expiresAt > nowSeconds &&
      row.expiresAt <= nowSeconds + seconds;
    done(
      isKnown ? [{ presentations: row.presentations, max_count: String(row.maxCount), is_known: true }] : [],
    );
  };

  /** Waits only for a row that is visible. */
  const findLockedRepeat: Statement = (transaction, values, done) => {
    const key = `repeats ${hex(values[0])}`;
    if (rows.has(key)) lock(transaction, key, () => findRepeat(transaction, values, done));
    else findRepeat(transaction, values, done);
  };

  const lockRepeat: Statement = (transaction, [hash], done) => {
    const key = `repeats ${hex(hash)}`;
    lock(transaction, key, () => {
      if (read(transaction, key) === undefined)
        transaction.changes.set(key, { expiresAt: 0, presentations: 0, maxCount: 0 } satisfies Repeat);
      done(counted(1));
    });
  };

  const remember: Statement = (transaction, [hash, expiresAt, presentations, maxCount], done) => {
    const row = {
      expiresAt: Number(expiresAt),
      presentations: Number(presentations),
      maxCount: Number(maxCount),
    };
    const key = `repeats ${hex(hash)}`;
    lock(transaction, key, () => {
      transaction.changes.set(key, row satisfies Repeat);
      done(counted(1));
    });
  };

  const deleteClaims: Statement = (transaction, [before], done) => {
    const expired = keysOf('claims ').filter((key) => Number(key.slice(7, 17)) < Number(before));
    lockAll(transaction, expired, () => {
      const present = expired.filter((key) => read(transaction, key) !== undefined);
      for (const key of present) transaction.changes.set(key, undefined);
      done(counted(present.length));
    });
  };

  const deleteRepeats: Statement = (transaction, [before], done) => {
    const expired = keysOf('repeats ').filter(
      (key) => (rows.get(key) as Repeat).expiresAt < Number(before) && !isLocked(key),
    );
    lockAll(transaction, expired, () => {
      for (const key of expired) transaction.changes.set(key, undefined);
      done(counted(expired.length));
    });
  };

  const recordPurge: Statement = (transaction, [keys, before], done) => {
    const names = numbersIn(keys).map((fingerprint) => `purged ${fingerprint}`);
    lockAll(transaction, names.toSorted(), () => {
      for (const name of names) {
        const known = (read(transaction, name) as number | undefined) ?? 0;
        transaction.changes.set(name, Math.max(known, Number(before)));
      }
      done(counted(names.length));
    });
  };

  const answer =
    (result: readonly unknown[]): Statement =>
    (_, __, done) =>
      done(Object.assign([...result], { count: 0 }));

  const table: readonly (readonly [part: string, statement: Statement])[] = [
    ['claim_puzzles', claimPuzzles],
    ['DELETE FROM repeats', deleteRepeats],
    ['FOR UPDATE', findLockedRepeat],
    ['SELECT presentations, max_count', findRepeat],
    ['INSERT INTO repeats AS known', lockRepeat],
    ['UPDATE repeats SET', remember],
    ['pg_advisory_xact_lock', (transaction, _, done) => lock(transaction, 'purge', () => done([]))],
    ['SET LOCAL', answer([])],
    ['claims_identity', answer([{ is_same: true }])],
    ['SELECT expires_at, puzzle_id FROM claims', answer([])],
    ['DELETE FROM claims WHERE expires_at < $1', deleteClaims],
    ['INSERT INTO purged', recordPurge],
    ['DELETE FROM purged', answer([])],
    ['synchronous_standby_names', answer([{ synchronousStandbys: '', connectedStandbys: 0 }])],
    ['DO $$ BEGIN', answer([])],
  ];

  return (transaction: Transaction, text: string, values: readonly unknown[], done: Done): void => {
    const found = table.find(([part]) => text.includes(part));
    if (found === undefined) throw new Error(`the simulated database does not know this statement: ${text}`);
    found[1](transaction, values, done);
  };
}
