import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Instant, MINUTE, toIso } from '../../lib/time.ts';
import type { KeptSpelling } from '../../model/email.ts';
import { BACKUP_MAX_AGE } from '../../model/system.ts';
import { sqliteEngine } from '../../server/storageEngine.ts';
import { type Check, type Finding, failed, passed, runCheck, warning } from './check.ts';

const MIB = 1024 ** 2;

/** When the first version was released. A clock that shows an earlier time is wrong. */
const EARLIEST_TIME = Date.UTC(2026, 10, 22) as Instant;

const RESTORE =
  'Stop the server, keep a copy of the data folder, and restore a backup with `postern restore FILE --force`.';

/** Checks the databases of a data folder, and the clock. */
export function checkDatabases(folder: string, now: Instant): readonly Check[] {
  return [
    runCheck('database', RESTORE, () => checkDatabase(folder)),
    runCheck('integrity', RESTORE, () => checkIntegrity(folder)),
    runCheck('emails', RESTORE, () => checkEmails(sqliteEngine.inspect(folder)?.keptSpellings)),
    runCheck('data-size', RESTORE, () => checkDataSize(folder)),
    runCheck('backup', RESTORE, () => checkBackup(folder, now)),
    { name: 'clock', ...checkClock(folder, now) },
  ];
}

function checkDatabase(folder: string): Finding {
  const found = sqliteEngine.inspect(folder);
  if (found === undefined) return passed('does not exist yet');
  const { version, newestVersion } = found;
  const detail = `schema version ${version}`;
  if (version > newestVersion) {
    return failed(
      `${detail}, but this version of Postern supports only ${newestVersion} and earlier`,
      'Use a newer version of Postern, or restore a backup from before the upgrade.',
    );
  }
  if (version === newestVersion) return passed(detail);
  return passed(`${detail}; the next start migrates it to ${newestVersion}`);
}

/** Takes about 1.5 s for each GB. */
function checkIntegrity(folder: string): Finding {
  sqliteEngine.checkFiles(folder);
  return passed('no damage found');
}

/** Always passes; the sizes are for information. */
function checkDataSize(folder: string): Finding {
  const files = sqliteEngine
    .fileSizes(folder)
    .map(({ name, sizeBytes }) => `${name} ${(sizeBytes / MIB).toFixed(1)} MiB`);
  return passed(files.length === 0 ? 'no files yet' : files.join(', '));
}

/** Checks the age of the newest backup that `postern backup` or the schedule created. */
function checkBackup(folder: string, now: Instant): Finding {
  const { createdAt, lastBackupAt } = sqliteEngine.inspect(folder) ?? {};
  if (createdAt === undefined) return passed('no data yet');
  if (now - (lastBackupAt ?? createdAt) <= BACKUP_MAX_AGE) {
    return passed(
      lastBackupAt === undefined ? 'none yet; the data is less than 7 days old' : toIso(lastBackupAt),
    );
  }
  return failed(
    lastBackupAt === undefined ? 'there is no backup' : `the newest backup is from ${toIso(lastBackupAt)}`,
    'Run `postern backup FILE` regularly, or set POSTERN_BACKUP_SCHEDULE and POSTERN_BACKUP_DIR.',
  );
}

/** A clock that is ahead cannot be detected without another clock. */
function checkClock(folder: string, now: Instant): Finding {
  const fix =
    'Set the clock and keep it synchronized, for example with `timedatectl set-ntp true`. Puzzles, sessions, and certificates need the correct time.';
  const detail = toIso(now);
  const known: readonly [string, Instant | undefined][] = [
    ['the release of the first version of Postern', EARLIEST_TIME],
    ['the last write to the database', lastWrite(folder)],
    ['the last change of a file in the data folder', lastChange(folder)],
  ];
  for (const [event, at] of known) {
    if (at !== undefined && at > now + MINUTE)
      return failed(`${detail} is before ${event}, ${toIso(at)}`, fix);
  }
  return passed(detail);
}

/** @returns undefined if there is no database, or it cannot be read */
function lastWrite(folder: string): Instant | undefined {
  try {
    return sqliteEngine.inspect(folder)?.lastWriteAt;
  } catch {
    // The check of the database reports the error.
    return undefined;
  }
}

function lastChange(folder: string): Instant | undefined {
  const times = sqliteEngine.fileSizes(folder).map(({ name }) => statSync(join(folder, name)).mtimeMs);
  return times.length === 0 ? undefined : (Math.max(...times) as Instant);
}

/** Maximum number of users that the check names. */
const NAMED_MAX = 10;

const FIX =
  'Give one of the two users another address with `postern users set-email --email OLD_ADDRESS --new-email NEW_ADDRESS`.';

/** Reports users whose email addresses are spellings of the same address. @param kept undefined if there are no databases yet */
export function checkEmails(kept: readonly KeptSpelling[] = []): Finding {
  if (kept.length === 0) return passed('no address belongs to two users');
  const named = kept.slice(0, NAMED_MAX).map(({ email, canonical }) => `${email} and ${canonical}`);
  const others = kept.length > NAMED_MAX ? `, and ${kept.length - NAMED_MAX} more` : '';
  return warning(`two users have the same address: ${named.join('; ')}${others}`, FIX);
}
