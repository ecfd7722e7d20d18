import { readdirSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join, resolve } from 'node:path';
import { type Log, reasonOf } from '../lib/log.ts';
import { type Clock, toIso } from '../lib/time.ts';
import type { BackupEngine } from '../storage/storage.ts';

export type ScheduledBackupOptions = {
  readonly engine: Pick<BackupEngine, 'identify'>;
  readonly dataDir: string;
  /** The folder of the backups. */
  readonly folder: string;
  /** Number of backups to keep. */
  readonly keep: number;
  readonly passphrase: string | undefined;
  readonly log: Log;
  readonly clock: Clock;
};

/** The scheduled backups of a running server. */
export type ScheduledBackup = ReturnType<typeof createScheduledBackup>;

/** The nice value of the process, so that requests have priority. */
const PRIORITY = 10;

/** Creates backups in a separate process, so that the server's threads and memory are not affected. @see ScheduledBackup */
export function createScheduledBackup(options: ScheduledBackupOptions) {
  const { log } = options;
  let child: Bun.Subprocess | undefined;

  async function create(file: string): Promise<{ bytes: number }> {
    const process = Bun.spawn([...findProgram(), 'backup', file, '--json'], {
      env: toEnvironment(options),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    child = process;
    lowerPriority(process.pid);
    const [output, errors, exitCode] = await Promise.all([
      new Response(process.stdout).text(),
      new Response(process.stderr).text(),
      process.exited,
    ]);
    child = undefined;
    const reason = errors.trim().replace(/^postern: /gm, '');
    if (exitCode !== 0) throw new Error(reason || `the process exited with code ${exitCode}`);
    return JSON.parse(output) as { bytes: number };
  }

  return {
    /** Creates a backup, deletes old backups, and logs the result. Never throws. @returns whether it succeeded */
    async run(): Promise<boolean> {
      try {
        const installation = options.engine.identify(options.dataDir);
        const file = join(resolve(options.folder), toName(installation, options));
        const { bytes } = await create(file);
        const deleted = deleteOld(options, installation);
        log.info('backup-done', { file, bytes, deleted });
        return true;
      } catch (error) {
        log.error('backup-failed', { reason: reasonOf(error) });
        return false;
      }
    },
    /** Ends a backup that is running. */
    stop: (): void => child?.kill(),
  };
}

/** The compiled executable runs itself; if the server runs from source, Bun runs `main.ts`. */
function findProgram(): readonly string[] {
  const isSource = import.meta.url.endsWith('/src/backup/scheduledBackup.ts');
  if (isSource) return [process.execPath, join(import.meta.dir, '..', 'main.ts')];
  // On Linux, /proc/self/exe is the running executable, even if an upgrade has replaced the file (proc(5)).
  return [process.platform === 'linux' ? '/proc/self/exe' : process.execPath];
}

/** Contains only the settings that the command needs, because other settings may be invalid without the server's flags. */
function toEnvironment({ dataDir, passphrase }: ScheduledBackupOptions): Record<string, string> {
  return {
    POSTERN_DATA_DIR: resolve(dataDir),
    ...(passphrase === undefined ? {} : { POSTERN_BACKUP_PASSPHRASE: passphrase }),
  };
}

/** Has no effect if the process has already ended. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, PRIORITY);
  } catch {
    // A container may not allow it.
  }
}

/** @returns for example `postern-1a2b3c4d-20300131T033000Z.tar` */
function toName(installation: string, { clock, passphrase }: ScheduledBackupOptions): string {
  const time = toIso(clock()).replace(/\.\d+|[:-]/g, '');
  return `postern-${installation}-${time}.tar${passphrase === undefined ? '' : '.age'}`;
}

const NAME = /^postern-([0-9a-f]{8})-(\d{8}T\d{6}Z)\.tar(?:\.age)?$/;

/** Deletes all but the newest scheduled backups of this installation. @returns the number of deleted files */
function deleteOld({ folder, keep }: ScheduledBackupOptions, installation: string): number {
  const timeOf = (name: string): string => NAME.exec(name)?.[2] ?? '';
  const old = readdirSync(folder)
    .filter((name) => NAME.exec(name)?.[1] === installation)
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)))
    .slice(keep);
  for (const name of old) rmSync(join(folder, name));
  return old.length;
}
