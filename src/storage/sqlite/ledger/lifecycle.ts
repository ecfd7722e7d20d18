import type { Database } from 'bun:sqlite';

/** The identity of the claims file, which the main database stores too. */
export type Identity = {
  /** 16 bytes. */
  readonly id: Uint8Array;
  /** Whether the main database has never used a claims file. */
  readonly isFirst: boolean;
};

/** At most one row: the identity of the file, and whether a server is using the file or was killed while it used it. */
export const LIFECYCLE_SCHEMA = `
CREATE TABLE IF NOT EXISTS lifecycle (
  id BLOB NOT NULL,
  is_open INTEGER NOT NULL
)`;

/** Records that no server uses the file. */
export const MARK_CLOSED = 'UPDATE lifecycle SET is_open = 0';

/** Whether a server is using the file or was killed while it used it. @param database also one without claims */
export function isMarkedOpen(database: Database): boolean {
  const isClaimsFile = database.query("SELECT 1 FROM sqlite_master WHERE name = 'lifecycle'").get() !== null;
  return isClaimsFile && database.query('SELECT 1 FROM lifecycle WHERE is_open = 1').get() !== null;
}

/** Detects that the claims file was deleted or replaced, or lost its write-ahead log; without its claims, spent puzzles are accepted. */
export function createLifecycle(database: Database) {
  const find = database.query<{ id: Uint8Array; is_open: number }, []>('SELECT id, is_open FROM lifecycle');
  const insert = database.query<unknown, [Uint8Array]>('INSERT INTO lifecycle VALUES (?, 1)');

  const open = database.transaction(({ id, isFirst }: Identity, hasWal: boolean): boolean => {
    const found = find.get();
    database.run('DELETE FROM lifecycle');
    insert.run(id);
    if (found === null || !Buffer.from(found.id).equals(id)) return !isFirst;
    // SQLite deletes the log only when the last connection closes the file, and a server resets `is_open` before it closes the file.
    return found.is_open === 1 && !hasWal;
  });

  return {
    /**
     * Marks the file as open, in the file itself and not only in its log.
     *
     * @param hasWal whether the write-ahead log existed before the file was opened
     * @returns whether claims were lost
     */
    open(identity: Identity, hasWal: boolean): boolean {
      const hasLostClaims = open.immediate(identity, hasWal);
      database.run('PRAGMA wal_checkpoint(TRUNCATE)');
      return hasLostClaims;
    },
    /** Marks the file as closed. @param finish performs the last writes @throws if the file cannot be written */
    close(finish: () => void): void {
      finish();
      database.run(MARK_CLOSED);
    },
  };
}
