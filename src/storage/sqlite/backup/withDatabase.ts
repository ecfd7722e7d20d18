import { constants, Database } from 'bun:sqlite';

/** How long an operation waits for a process that locks the whole database, in milliseconds. */
const TIMEOUT_MS = 5000;

/** Opens an existing database without migrating it. @throws the error of SQLite if there is none, or it cannot be used */
export function withDatabase<T>(file: string, work: (database: Database) => T): T {
  const database = new Database(file, constants.SQLITE_OPEN_READWRITE);
  try {
    database.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
    return work(database);
  } finally {
    database.close();
  }
}
