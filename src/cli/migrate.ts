import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { MigrationReport } from '../model/system.ts';
import { selectEngine } from '../server/storage.ts';
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
    const report = await runMigrations(config, isDryRun);
    if (context.isJson) printJson(context, report, isDryRun);
    else printText(context, report, isDryRun);
    return 0;
  },
};

async function runMigrations(config: Config, isDryRun: boolean): Promise<MigrationReport> {
  const engine = selectEngine(config);
  try {
    return await (isDryRun ? engine.pendingMigrations(config.dataDir) : engine.migrate(config.dataDir));
  } catch (cause) {
    throw createStorageError(config, cause);
  }
}

function printJson({ out }: Context, { schema, migrations }: MigrationReport, isDryRun: boolean): void {
  out(JSON.stringify({ schema, applied: migrations, dry_run: isDryRun }));
}

function printText({ out }: Context, { schema, migrations }: MigrationReport, isDryRun: boolean): void {
  const verb = isDryRun ? 'would apply' : 'applied';
  for (const { version, name } of migrations) out(`${verb} migration ${version} (${name})`);
  if (migrations.length === 0) out(`The schema version is ${schema}; there is nothing to migrate.`);
  else out(isDryRun ? `The schema version would be ${schema}.` : `The schema version is ${schema}.`);
}
