import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import type { JobState } from '../../model/readings.ts';

/** The background jobs of this server, and the backups. */
export type BackgroundFacts = {
  readonly jobs: readonly JobState[];
  /** Undefined if Postern does not create the backups. */
  readonly backup: BackupFacts | undefined;
};

export type BackupFacts = {
  /** When the newest backup was created; undefined if there is none. */
  readonly lastAt: Instant | undefined;
  /** A cron expression in UTC; undefined without scheduled backups. */
  readonly schedule: string | undefined;
};

/** @see createDescribeBackground */
export type DescribeBackground = ReturnType<typeof createDescribeBackground>;

/** Describes the background jobs and the backups, for administrators. */
export function createDescribeBackground(deps: {
  readonly jobs: () => readonly JobState[];
  /** Undefined if Postern does not create the backups. */
  readonly lastBackupAt: (() => Promise<Instant | undefined>) | undefined;
  readonly backupSchedule: string | undefined;
}) {
  const { jobs, lastBackupAt, backupSchedule } = deps;
  return async (actor: Actor): Promise<Outcome<BackgroundFacts, 'admin-only'>> => {
    if (!actor.isAdmin) return reject('admin-only');
    const backup = lastBackupAt && { lastAt: await lastBackupAt(), schedule: backupSchedule };
    return done({ jobs: jobs(), backup });
  };
}
