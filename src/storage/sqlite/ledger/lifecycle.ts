import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { openUntouched } from '../connection.ts';

/** The identity of the claims file, which the main database stores too. */
export type Identity = {
  /** 16 bytes. */
  readonly id: Uint8Array;
  /** Whether the main database has never used a claims file, or no puzzle was ever signed. */
  readonly isFirst: boolean;
};

/** At most one row: the identity of the file, and whether a server is using the file or was killed while it used it: 0, OPEN, or LOSSY. */
export const LIFECYCLE_SCHEMA = `
CREATE TABLE IF NOT EXISTS lifecycle (
  id BLOB NOT NULL,
  is_open INTEGER NOT NULL
)`;

const OPEN = 1;
/**
 * Open, and claims are missing: earlier puzzles must be rejected, even if the server is killed before it has rejected them. Greater values,
 * which a later version may add, mean the same, so that a downgrade never ignores a loss.
 */
const LOSSY = 2;

/** Records that no server uses the file, unless claims are missing. */
export const MARK_CLOSED = `UPDATE lifecycle SET is_open = 0 WHERE is_open = ${OPEN}`;
/** Records that all earlier puzzles were rejected. */
export const MARK_COMPLETE = `UPDATE lifecycle SET is_open = ${OPEN} WHERE is_open = ${LOSSY}`;

/** Whether a server is using the file or was killed while it used it. @param database also one without claims */
export function isMarkedOpen(database: Database): boolean {
  const isClaimsFile = database.query("SELECT 1 FROM sqlite_master WHERE name = 'lifecycle'").get() !== null;
  return isClaimsFile && database.query('SELECT 1 FROM lifecycle WHERE is_open <> 0').get() !== null;
}

/**
 * Whether a claims file has lost its write-ahead log: the file is marked as open, but has no log. SQLite deletes the log only when the last
 * connection closes the file, and a server resets the mark before it closes the file.
 *
 * Call it before the file is opened. Another server that opens the file in the meantime creates the log before it marks the file.
 */
export function hasLostLog(file: string): boolean {
  const hasLog = () => existsSync(`${file}-wal`);
  return existsSync(file) && !hasLog() && isFileMarkedOpen(file) && !hasLog();
}

/** @returns false also if the file is damaged or another server is writing it, which is detected when it is opened */
function isFileMarkedOpen(file: string): boolean {
  let database: Database | undefined;
  try {
    database = openUntouched(file);
    return isMarkedOpen(database);
  } catch {
    return false;
  } finally {
    database?.close();
  }
}

/** Detects that the claims file was deleted or replaced, or lost its write-ahead log; without its claims, spent puzzles are accepted. */
export function createLifecycle(database: Database) {
  const find = database.query<{ id: Uint8Array; is_open: number }, []>('SELECT id, is_open FROM lifecycle');
  const insert = database.query<unknown, [Uint8Array, number]>('INSERT INTO lifecycle VALUES (?, ?)');

  const open = database.transaction(({ id, isFirst }: Identity, isLogLost: boolean): boolean => {
    const found = find.get();
    database.run('DELETE FROM lifecycle');
    const isOther = found === null || !Buffer.from(found.id).equals(id);
    const isLossy = !isFirst && (isOther || isLogLost || found.is_open >= LOSSY);
    insert.run(id, isLossy ? LOSSY : OPEN);
    return isLossy;
  });

  return {
    /**
     * Marks the file as open, in the file itself and not only in its log.
     *
     * @param isLogLost the result of `hasLostLog`
     * @returns whether claims were lost; true again at later starts, until MARK_COMPLETE
     */
    open(identity: Identity, isLogLost: boolean): boolean {
      const hasLostClaims = open.immediate(identity, isLogLost);
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
