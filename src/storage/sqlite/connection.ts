import { constants, Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseFileError, toFileError } from './content.ts';

/** How long a server that stops waits for other processes before it leaves data in the write-ahead log, in milliseconds. */
const CHECKPOINT_TIMEOUT_MS = 1000;

/**
 * Opens a connection to a SQLite file. This is the only place that opens one, because `close` of the returned connection is strict: it
 * finalizes all statements. With Bun's default, SQLite keeps the connection, its locks, and the write-ahead log until the last statement
 * has been garbage-collected, which usually does not happen before the process ends.
 *
 * @throws the error of SQLite
 */
export function openConnection(file: string, options?: ConstructorParameters<typeof Database>[1]): Database {
  const database = new Database(file, options);
  database.close = () => Database.prototype.close.call(database, true);
  return database;
}

/**
 * Opens a database without changing it. Reading a WAL database creates its `-wal` and `-shm` files if they are missing. The log exists while
 * a server runs, and after a crash; otherwise the file is opened as `immutable` (https://sqlite.org/uri.html), which ignores a log.
 */
export function openUntouched(file: string): Database {
  if (existsSync(`${file}-wal`)) return openConnection(file, { readonly: true });
  const uri = `${pathToFileURL(file).href}?immutable=1`;
  return openConnection(uri, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
}

/** Sets whether the write-ahead log stays if this is the last connection that closes the file. By default, SQLite deletes it. */
export function keepLog(database: Database, isKept: boolean): void {
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, isKept ? 1 : 0);
}

/**
 * Moves all data of the write-ahead log into the file and empties the log, so that a copy of the file alone is complete.
 *
 * @throws DatabaseFileError if it fails; the file is then complete only together with its log
 */
export function emptyLog(database: Database, file: string): void {
  try {
    database.run(`PRAGMA busy_timeout = ${CHECKPOINT_TIMEOUT_MS}`);
    const result = database.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (result?.busy === 0) return;
  } catch (cause) {
    throw toFileError(file, cause);
  }
  throw new DatabaseFileError(
    `${file}: another process is using the file, so some data is only in its write-ahead log; copy the file only together with ${file}-wal`,
  );
}
