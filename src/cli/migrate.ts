import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { MigrationReport } from '../model/system.ts';
import { selectEngine } from '../server/storage.ts';
import { findUpgradeCopy, migrateStorage } from '../server/upgrade.ts';
import type { Command, Context } from './command.ts';
import { hasOption } from './options.ts';
import { createStorageError, requireConfig } from './withServices.ts';

/** `postern migrate`. */
export const migrate: Command = {
  name: 'migrate',
  usage: '[--dry-run]',
  summary:
    'Migrates the data folder to the schema of this version without starting a server. Safe to repeat.',
  options: { 'dry-run': { type: 'boolean' } },
  async run(context) {
    const config = requireConfig(context);
    const isDryRun = hasOption(context, 'dry-run');
    const folder = resolve(config.dataDir);
    const isNew = config.database === undefined && !existsSync(folder);
    if (isNew && !isDryRun) context.err(`postern: creating the data folder ${folder}`);
    const migration = { ...(await runMigrations(config, isDryRun)), isDryRun };
    if (context.isJson) printJson(context, migration);
    else printText(context, migration);
    return 0;
  },
};

type Migrated = MigrationReport & {
  /** The file with the databases from before the migrations; undefined if there is none. */
  readonly copy: string | undefined;
};

async function runMigrations(config: Config, isDryRun: boolean): Promise<Migrated> {
  const engine = selectEngine(config);
  const { dataDir } = config;
  try {
    if (isDryRun) {
      const pending = await engine.pendingMigrations(dataDir);
      return { ...pending, copy: await findUpgradeCopy(engine, dataDir) };
    }
    let copy: string | undefined;
    const report = await migrateStorage(engine, dataDir, ({ file }) => {
      copy = file;
    });
    return { ...report, copy };
  } catch (cause) {
    throw createStorageError(config, cause);
  }
}

type Printed = Migrated & { readonly isDryRun: boolean };

function printJson({ out }: Context, { schema, migrations, copy, isDryRun }: Printed): void {
  out(JSON.stringify({ schema, applied: migrations, copy: copy ?? null, dry_run: isDryRun }));
}

function printText({ out }: Context, { schema, migrations, copy, isDryRun }: Printed): void {
  if (copy !== undefined) out(`${isDryRun ? 'would copy' : 'copied'} the databases to ${copy}`);
  const verb = isDryRun ? 'would apply' : 'applied';
  for (const { version, name } of migrations) out(`${verb} migration ${version} (${name})`);
  if (migrations.length === 0) out(`The schema version is ${schema}; there is nothing to migrate.`);
  else out(isDryRun ? `The schema version would be ${schema}.` : `The schema version is ${schema}.`);
}
