import { constants, type Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { keepLog, openConnection } from '../connection.ts';
import { toFileError } from '../content.ts';
import { isMarkedOpen } from '../ledger/lifecycle.ts';

/** How long an operation waits for a process that locks the whole database, in milliseconds. */
const TIMEOUT_MS = 5000;

/**
 * Like `withDatabase`, but keeps an existing write-ahead log of a claims file that no server has closed. Otherwise, the last connection
 * that closes the file deletes the log, and after a crash, the next server would conclude that claims were lost.
 */
export function withLoggedDatabase<T>(file: string, work: (database: Database) => T): T {
  const hasLog = existsSync(`${file}-wal`);
  return withDatabase(file, (database) => {
    if (hasLog) keepLog(database, true);
    const result = work(database);
    // A server may have closed the file in the meantime. Then this connection has to delete the log.
    if (hasLog && !isMarkedOpen(database)) keepLog(database, false);
    return result;
  });
}

/** Opens an existing database without migrating it. @throws DatabaseFileError if there is none, or it cannot be used */
export function withDatabase<T>(file: string, work: (database: Database) => T): T {
  let database: Database | undefined;
  try {
    database = openConnection(file, constants.SQLITE_OPEN_READWRITE);
    database.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
    return work(database);
  } catch (error) {
    throw toFileError(file, error);
  } finally {
    database?.close();
  }
}
