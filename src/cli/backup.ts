import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Backup, BackupOptions } from '../backup/createBackup.ts';
import type { Restored } from '../backup/restoreBackup.ts';
import type { Bytes } from '../backup/streams.ts';
import type { Config } from '../config.ts';
import { closeAfter } from '../lib/closing.ts';
import { reasonOf } from '../lib/log.ts';
import { type Instant, toIso } from '../lib/time.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import { PASSPHRASE_RULE, parsePassphrase } from '../model/newPassword.ts';
import { openServices } from '../server/services.ts';
import { sqliteEngine } from '../server/storageEngine.ts';
import { version } from '../version.ts';
import { type Command, CommandError, type Context, type ExitCode, UsageError } from './command.ts';
import { hasOption, readSecretFile, requireOperand, requireOption, textOption } from './options.ts';
import { printRow } from './output.ts';
import { requireConfig, requireDataFolder } from './withServices.ts';

/**
 * Reads the file that `--passphrase-file` names; one line break at its end is ignored.
 *
 * @returns the passphrase of the configuration if the option is missing; undefined if neither is set
 * @throws CommandError if the file cannot be read or contains no valid passphrase
 */
function findPassphrase(context: Context): string | undefined {
  if (textOption(context, 'passphrase-file') === undefined) return requireConfig(context).backupPassphrase;
  const file = requireOption(context, 'passphrase-file');
  const passphrase = parsePassphrase(readSecretFile(file, 'passphrase'));
  if (!passphrase.ok) throw new CommandError(`${file} must contain ${PASSPHRASE_RULE}`);
  return passphrase.value;
}

const PASSPHRASE_FILE =
  'File with the passphrase that encrypts or decrypts the backup. Default: POSTERN_BACKUP_PASSPHRASE; without both, backups are not encrypted.';

const backup: Command = {
  name: 'backup',
  usage: 'FILE|- [--passphrase-file F]',
  summary:
    'Writes a backup of the data folder to a new file, or to standard output. A server can be running.',
  options: { 'passphrase-file': PASSPHRASE_FILE },
  example: 'postern backup /var/backups/postern.tar',
  run: runBackup,
};

async function runBackup(context: Context): Promise<ExitCode> {
  const file = requireOperand(context, 'FILE');
  const options: BackupOptions = {
    engine: sqliteEngine.backup,
    dataDir: resolve(requireDataFolder(context).dataDir),
    program: version,
    passphrase: findPassphrase(context),
    onNotRecorded: (error) =>
      context.err(`postern: the backup is complete, but its time was not stored: ${reasonOf(error)}`),
  };
  if (file === '-') {
    const { bytes, schema } = await backUpToOutput(context, options);
    context.err(`postern: wrote a backup of ${bytes} bytes, schema version ${schema}`);
    return 0;
  }
  const { backUpToFile } = await loadBackup();
  const { bytes, schema } = await backUpToFile(options, file);
  printRow(context, { file: resolve(file), bytes, schema });
  return 0;
}

async function backUpToOutput({ isJson }: Context, options: BackupOptions): Promise<Backup> {
  if (isJson) throw new UsageError('--json cannot be used if the backup is written to standard output');
  if (process.stdout.isTTY)
    throw new UsageError('standard output is a terminal; redirect it, or specify a file');
  const { backUpToStream } = await loadBackup();
  return backUpToStream(options, writeOutput);
}

/** Loads the modules for archives and encryption, which no other command needs. */
function loadBackup() {
  return import('../backup/createBackup.ts');
}

/** Resolves when the reader of standard output has accepted the chunk. @throws if it stops reading */
function writeOutput(chunk: Uint8Array): Promise<void> {
  return new Promise((accept, fail) => {
    process.stdout.write(chunk, (error) => {
      if (error) fail(new Error(`standard output cannot be written: ${reasonOf(error)}`));
      else accept();
    });
  });
}

const restore: Command = {
  name: 'restore',
  usage: 'FILE|- [--force] [--passphrase-file F]',
  summary:
    'Replaces the databases of the data folder with those of a backup. `-` is standard input. Stop the server first.',
  options: {
    force: 'If the data folder is not empty, moves its databases to a subfolder instead of failing.',
    'passphrase-file': PASSPHRASE_FILE,
  },
  example: 'postern restore /var/backups/postern.tar --force',
  run: runRestore,
};

async function runRestore(context: Context): Promise<ExitCode> {
  const file = requireOperand(context, 'FILE');
  const config = requireDataFolder(context);
  const passphrase = findPassphrase(context);
  // Loaded here because no other command needs these modules.
  const { restoreBackup } = await import('../backup/restoreBackup.ts');
  const restored = await restoreBackup({
    engine: sqliteEngine.backup,
    dataDir: resolve(config.dataDir),
    backup: openBackup(file),
    passphrase,
    isForced: hasOption(context, 'force'),
    prepare: (folder, createdAt) => prepare({ ...config, dataDir: folder }, createdAt, context),
  });
  printNotes(restored, passphrase, context);
  const { bytes, schema, createdAt, movedTo } = restored;
  printRow(context, {
    file: file === '-' ? file : resolve(file),
    bytes,
    schema,
    created_at: toIso(createdAt),
    moved_to: movedTo ?? null,
  });
  return 0;
}

function openBackup(file: string): Bytes {
  if (file === '-') return Bun.stdin.stream();
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new CommandError(`${file} does not exist`);
  if (stat.isDirectory()) throw new CommandError(`${file} is a folder`);
  return Bun.file(file).stream();
}

async function prepare(config: Config, createdAt: Instant, { err }: Context): Promise<void> {
  const onAuditFailure = (action: string, error: unknown) =>
    err(`postern: the entry ${action} is missing from the audit log: ${reasonOf(error)}`);
  const services = await openServices({ ...config, onAuditFailure });
  await closeAfter(services.close, () => services.completeRestore(COMMAND_LINE, createdAt));
}

function printNotes(
  { createdAt, isEncrypted, movedTo }: Restored,
  passphrase: string | undefined,
  { err }: Context,
): void {
  if (passphrase !== undefined && !isEncrypted) err('postern: the backup is not encrypted');
  if (movedTo !== undefined)
    err(`postern: the old databases are in ${movedTo}; delete them when you no longer need them`);
  err(
    `postern: changes since ${toIso(createdAt)} are lost: for example, API keys that were revoked since then work again`,
  );
  err('postern: all users must sign in again, and puzzles that were issued before the restore are invalid');
}

/** The commands for backups, in the order of `postern help`. */
export const backupCommands: readonly Command[] = [backup, restore];
