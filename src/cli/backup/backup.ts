import { resolve } from 'node:path';
import type { Backup, BackupOptions } from '../../backup/createBackup.ts';
import { reasonOf } from '../../lib/log.ts';
import { sqliteEngine } from '../../server/storage.ts';
import { version } from '../../version.ts';
import { type Command, type Context, type ExitCode, UsageError } from '../command.ts';
import { requireOperand } from '../options.ts';
import { printRow } from '../output.ts';
import { requireDataFolder } from '../withServices.ts';
import { findPassphrase, PASSPHRASE_OPTION } from './passphrase.ts';

/** `postern backup`. */
export const backup: Command = {
  name: 'backup',
  usage: 'FILE|- [--passphrase-file F]',
  summary:
    'Writes a backup of the data folder to a new file, or to standard output. A server can be running.',
  options: PASSPHRASE_OPTION,
  operands: 1,
  run,
};

async function run(context: Context): Promise<ExitCode> {
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
  return import('../../backup/createBackup.ts');
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
