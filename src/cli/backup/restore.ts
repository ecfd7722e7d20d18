import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Restored } from '../../backup/restoreBackup.ts';
import type { Bytes } from '../../backup/streams.ts';
import type { Config } from '../../config.ts';
import { closeAfter } from '../../lib/closing.ts';
import { reasonOf } from '../../lib/log.ts';
import { type Instant, toIso } from '../../lib/time.ts';
import { COMMAND_LINE } from '../../model/actor.ts';
import { openServices } from '../../server/services.ts';
import { sqliteEngine } from '../../server/storage.ts';
import { type Command, CommandError, type Context, type ExitCode } from '../command.ts';
import { hasOption, requireOperand } from '../options.ts';
import { printRow } from '../output.ts';
import { requireDataFolder } from '../withServices.ts';
import { findPassphrase, PASSPHRASE_OPTION } from './passphrase.ts';

/** `postern restore`. */
export const restore: Command = {
  name: 'restore',
  usage: 'FILE|- [--force] [--passphrase-file F]',
  summary:
    'Replaces the databases of the data folder with those of a backup. `-` is standard input. Stop the server first.',
  options: { force: { type: 'boolean' }, ...PASSPHRASE_OPTION },
  operands: 1,
  run,
};

async function run(context: Context): Promise<ExitCode> {
  const file = requireOperand(context, 'FILE');
  const config = requireDataFolder(context);
  const passphrase = findPassphrase(context);
  // Loaded here because no other command needs these modules.
  const { restoreBackup } = await import('../../backup/restoreBackup.ts');
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
