import type { Database } from 'bun:sqlite';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../../lib/log.ts';

/** A table that identifies the kind of a database. It is created first, so each non-empty database of the kind contains it. */
export type Marker = 'migrations' | 'claims';

/** Larger files are checked only by `postern doctor`, because the check reads the whole file: 64 MiB take about 0.1 s. */
const STARTUP_CHECK_BYTES = 64 * 1024 ** 2;

const RESTORE = 'run "postern doctor", and restore a backup';

/** Advice by the error code of SQLite (https://sqlite.org/rescode.html) or the operating system. */
const ADVICE: readonly (readonly [codes: RegExp, advice: string])[] = [
  [/^SQLITE_(?:CORRUPT|NOTADB)/, `the file is damaged, and nothing was changed; ${RESTORE}`],
  [/^SQLITE_FULL/, 'the disk is full; free some space'],
  [
    /^(?:SQLITE_(?:READONLY|CANTOPEN|IOERR|PERM)|EACCES|EPERM|EROFS)/,
    'the file or its folder cannot be written; check the owner, the permissions, and whether the file system is mounted read-only',
  ],
];

/** A database file that cannot be used. The message names the file and says what to do. */
export class DatabaseFileError extends Error {
  override readonly name = 'DatabaseFileError';
}

/** Returns the error for a file that cannot be used. An error that names the file already is returned unchanged. */
export function toFileError(file: string, cause: unknown): Error {
  if (cause instanceof DatabaseFileError) return cause;
  const code = String((cause as { readonly code?: unknown } | null)?.code ?? '');
  const advice = ADVICE.find(([codes]) => codes.test(code))?.[1];
  const reason = advice === undefined ? reasonOf(cause) : `${reasonOf(cause)}: ${advice}`;
  return new DatabaseFileError(`${file}: ${reason}`, { cause });
}

/**
 * Checks that an existing file and its folder can be written, because otherwise SQLite opens the file read-only, and fails only later.
 *
 * @throws if they cannot
 */
export function checkAccess(file: string): void {
  const { R_OK, W_OK, X_OK } = constants;
  accessSync(dirname(file), W_OK | X_OK);
  if (existsSync(file)) accessSync(file, R_OK | W_OK);
}

/** Checks, before anything is written, that a database is empty or of the expected kind. @throws if it is not */
export function checkKind(database: Database, file: string, marker: Marker): void {
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all();
  if (tables.length === 0 || tables.some(({ name }) => name === marker)) return;
  throw new DatabaseFileError(
    `${file}: the file is a SQLite database of another program, or another file of Postern; nothing was changed; replace it with the correct file, or restore a backup`,
  );
}

/** Checks the structure of a database that is not too large. @throws if it is damaged */
export function checkStructureAtStart(database: Database, file: string): void {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size <= STARTUP_CHECK_BYTES) checkStructure(database, file);
}

/** Checks the structure of a database. Reads the whole file. @throws if it is damaged */
export function checkStructure(database: Database, file: string): void {
  const first = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()?.quick_check;
  if (first === 'ok') return;
  // The message may begin with a heading.
  const reason = first?.split('\n').at(-1);
  throw new DatabaseFileError(`${file}: ${reason}: the file is damaged, and nothing was changed; ${RESTORE}`);
}
