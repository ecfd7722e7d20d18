import { resolve } from 'node:path';
import { reasonOf } from '../lib/log.ts';
import { parseDatabaseUrl } from '../model/databaseUrl.ts';
import { type Move, moveData } from '../server/storageEngine.ts';
import { type Command, CommandError, type Context, type ExitCode, UsageError } from './command.ts';
import { readSecretFile, requireOption, textOption } from './options.ts';
import { printUpgrade, requireConfig } from './withServices.ts';

/** `postern move`. */
export const move: Command = {
  name: 'move',
  usage: '--to URL|FOLDER [--password-file F] [--ca-file F]',
  summary:
    'Copies all data from the data folder to an empty PostgreSQL database, or back to a new folder. Stop all servers first.',
  options: {
    to: 'URL of the PostgreSQL database, or the folder to which to copy the database of POSTERN_DATABASE_URL.',
    'password-file': 'File with the password for the database. Default: the password in the URL, if any.',
    'ca-file':
      'PEM file with the CA certificates that are trusted for the database. Default: the public CAs.',
  },
  example: 'postern move --to postgres://postern@db.example.com/postern --password-file database-password',
  run,
};

async function run(context: Context): Promise<ExitCode> {
  const config = requireConfig(context);
  const to = parseTarget(context);
  const isToFolder = 'folder' in to;
  const onTable = ({ name, rows }: { readonly name: string; readonly rows: number }) => {
    if (!context.isJson) context.out(`${name}: ${rows} rows`);
  };
  const tables = await copy({
    from: { ...config, dataDir: resolve(config.dataDir) },
    to,
    onTable,
    onUpgrade: printUpgrade(context),
  });
  if (tables === undefined) {
    throw new UsageError(
      isToFolder
        ? 'POSTERN_DATABASE_URL is not set: to copy a data folder to PostgreSQL, specify the URL of the database'
        : 'POSTERN_DATABASE_URL is set: to copy the database to a data folder, specify the folder',
    );
  }
  if (context.isJson) context.out(JSON.stringify({ to: isToFolder ? 'folder' : 'postgres', tables }));
  else context.out('All rows were copied and compared.');
  context.err(
    isToFolder
      ? 'postern: start the server with this data folder and without POSTERN_DATABASE_URL; servers that use the database no longer start'
      : 'postern: start all servers with POSTERN_DATABASE_URL; servers that use the data folder no longer start',
  );
  return 0;
}

async function copy(options: Move) {
  try {
    return await moveData(options);
  } catch (cause) {
    throw new CommandError(`the data was not copied: ${reasonOf(cause)}`, { cause });
  }
}

/** @throws UsageError if the target or an option is invalid */
function parseTarget(context: Context): Move['to'] {
  const text = requireOption(context, 'to');
  const passwordFile = textOption(context, 'password-file');
  const caFile = textOption(context, 'ca-file');
  if (!/^postgres(?:ql)?:/.test(text)) {
    if (passwordFile !== undefined || caFile !== undefined)
      throw new UsageError('--password-file and --ca-file require the URL of a database');
    return { folder: resolve(text) };
  }
  const database = parseDatabaseUrl(text);
  // The URL may contain a password.
  if (database === undefined)
    throw new UsageError('--to is not a valid database URL; see POSTERN_DATABASE_URL');
  const password = passwordFile === undefined ? undefined : readSecretFile(passwordFile, 'password');
  return { database, password, caFile };
}
