import { constants, Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { toFileError } from '../content.ts';

/** How long an operation waits for a process that locks the whole database, in milliseconds. */
const TIMEOUT_MS = 5000;

/**
 * Like `withDatabase`, but keeps an existing write-ahead log. Otherwise, the last connection that closes the file deletes the log, and
 * after a crash, the next server would conclude that claims were lost.
 */
export function withLoggedDatabase<T>(file: string, work: (database: Database) => T): T {
  const hasLog = existsSync(`${file}-wal`);
  return withDatabase(file, (database) => {
    if (hasLog) database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
    return work(database);
  });
}

/** Opens an existing database without migrating it. @throws DatabaseFileError if there is none, or it cannot be used */
export function withDatabase<T>(file: string, work: (database: Database) => T): T {
  let database: Database | undefined;
  try {
    database = new Database(file, constants.SQLITE_OPEN_READWRITE);
    database.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
    return work(database);
  } catch (error) {
    throw toFileError(file, error);
  } finally {
    database?.close();
  }
}
