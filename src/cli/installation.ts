import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { toIso } from '../lib/time.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import { SOURCE_NAMES, type StoredAuditEntry } from '../model/audit.ts';
import type { MigrationReport } from '../model/system.ts';
import type { Services } from '../server/services.ts';
import { findUpgradeCopy, migrateStorage, selectEngine } from '../server/storageEngine.ts';
import { type Command, type Context, UsageError } from './command.ts';
import { hasOption, requireOperand, unwrap, wholeNumberOption } from './options.ts';
import { printRow, printRows, type Row } from './output.ts';
import { createStorageError, requireConfig, withServices } from './withServices.ts';

const LIMIT = { min: 1, max: 1000 } as const;
const DEFAULT_LIMIT = 50;

const auditList: Command = {
  name: 'audit list',
  usage: '[--limit N]',
  summary: 'Lists audit log entries, newest first.',
  options: { limit: `Number of entries, ${LIMIT.min} to ${LIMIT.max}. Default: ${DEFAULT_LIMIT}.` },
  example: 'postern audit list --limit 100',
  async run(context) {
    const limit = wholeNumberOption(context, 'limit', LIMIT) ?? DEFAULT_LIMIT;
    return withServices(context, async (services) => {
      const { entries } = await services.audit.list(COMMAND_LINE, {}, { limit });
      const rows = entries.map((entry) => toRow(services, entry));
      printRows(context, rows, ['at', 'actor', 'source', 'address', 'action', 'object']);
    });
  },
};

function toRow({ ids }: Services, entry: StoredAuditEntry): Row {
  const { id, at, actor, source, address, action, organizationId, object } = entry;
  return {
    id: ids.seal('audit-entry', id),
    at: toIso(at),
    actor,
    source: SOURCE_NAMES[source],
    address: address ?? null,
    action,
    org_id: organizationId === undefined ? null : ids.seal('organization', organizationId),
    object,
  };
}

const ACTIONS = ['on', 'off', 'status'] as const;

const maintenance: Command = {
  name: 'maintenance',
  usage: 'on|off|status',
  summary: 'Turns maintenance mode on or off, or shows its status.',
  example: 'postern maintenance status',
  async run(context) {
    const action = requireAction(context);
    return withServices(context, async (services) => {
      if (action === 'status') await services.maintenance.refresh();
      else unwrap(await services.maintenance.set(COMMAND_LINE, action === 'on'));
      if (action === 'off' && requireConfig(context).maintenance) {
        context.err(
          'postern: POSTERN_MAINTENANCE is on, so a server with this setting stays in maintenance mode',
        );
      }
      printRow(context, { maintenance: services.maintenance.isOn() });
    });
  },
};

function requireAction(context: Context): (typeof ACTIONS)[number] {
  const text = requireOperand(context, 'on, off, or status');
  const action = ACTIONS.find((known) => known === text);
  if (action !== undefined) return action;
  throw new UsageError(`the argument must be on, off, or status, not ${JSON.stringify(text)}`);
}

const migrate: Command = {
  name: 'migrate',
  usage: '[--dry-run]',
  summary:
    'Migrates the data folder to the schema of this version without starting a server. Safe to repeat.',
  options: { 'dry-run': 'Lists the migrations and changes nothing.' },
  example: 'postern migrate --dry-run',
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

/** The commands for the installation, in the order of `postern help`. */
export const installationCommands: readonly Command[] = [auditList, maintenance, migrate];
