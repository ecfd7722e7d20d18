import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { closeAfter } from '../lib/closing.ts';
import { reasonOf } from '../lib/log.ts';
import { type Instant, systemClock, toIso } from '../lib/time.ts';
import type { Account } from '../model/account.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import { type Attackable, isUnderAttack } from '../model/attackMode.ts';
import type { OrganizationId } from '../model/organization.ts';
import { openServices, type Services } from '../server/services.ts';
import type { OnUpgrade } from '../server/storageEngine.ts';
import { CommandError, ConfigError, type Context, type ExitCode } from './command.ts';
import { unwrap } from './options.ts';

/** @throws ConfigError with all errors, even in settings that the command does not use */
export function requireConfig({ report }: Context): Config {
  if (report.config === undefined) throw new ConfigError(report.errors);
  return report.config;
}

/** Like `requireConfig`, for commands that work on the files of the data folder. @throws CommandError if the data is in PostgreSQL */
export function requireDataFolder(context: Context): Config {
  const config = requireConfig(context);
  if (config.database === undefined) return config;
  throw new CommandError(
    "the data is in PostgreSQL: use the database's own tools, such as pg_dump and pg_basebackup",
  );
}

/** Opens the storage, runs the work, and closes the storage. Servers can use it at the same time. */
export async function withServices(
  context: Context,
  work: (services: Services) => Promise<void>,
): Promise<ExitCode> {
  const services = await open(requireConfig(context), context);
  await closeAfter(services.close, () => work(services));
  return 0;
}

async function open(config: Config, context: Context): Promise<Services> {
  const { err, report } = context;
  const folder = resolve(config.dataDir);
  for (const variable of report.unknownVariables) err(`postern: unknown setting ${variable}`);
  if (config.database === undefined && !existsSync(folder))
    err(`postern: creating the data folder ${folder}`);
  try {
    const onAuditFailure = (action: string, error: unknown) =>
      err(`postern: ${action} succeeded, but its entry is missing from the audit log: ${reasonOf(error)}`);
    return await openServices({ ...config, onAuditFailure, onUpgrade: printUpgrade(context) });
  } catch (cause) {
    throw createStorageError(config, cause);
  }
}

/** @returns a function that says where the copy of the databases from before their migration is */
export function printUpgrade({ err }: Context): OnUpgrade {
  return ({ file, from, to }) =>
    err(
      `postern: migrated the schema from version ${from} to ${to}; ${file} contains the databases from before the upgrade`,
    );
}

/** @returns the error of a command that cannot use its data folder or database */
export function createStorageError({ dataDir, database }: Config, cause: unknown): CommandError {
  const storage =
    database === undefined
      ? `the data folder ${resolve(dataDir)}`
      : `the database ${database.database} on ${database.hosts.map(({ host }) => host).join(', ')}`;
  return new CommandError(`${storage} cannot be used: ${reasonOf(cause)}`, { cause });
}

/** @throws CommandError if there is no user with this email address */
export async function requireUser(services: Services, email: string): Promise<Account> {
  return unwrap(await services.users.byEmail(COMMAND_LINE, email));
}

/** @param text the id in the format of the Platform API @throws CommandError if it is invalid */
export function requireOrganizationId(services: Services, text: string): OrganizationId {
  return (
    services.ids.open('organization', text) ?? unwrap({ ok: false, problem: 'organization-id-malformed' })
  );
}

/** @returns a function that returns an account's email address; empty if the account does not exist */
export async function loadEmails(services: Services): Promise<(id: Account['id']) => string> {
  const emails = new Map((await services.users.list(COMMAND_LINE)).map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? '';
}

/** @returns when attack mode ends in ISO 8601; null if it is off */
export function attackEnd(of: Attackable): string | null {
  return isoOrNull(isUnderAttack(of, systemClock()) ? of.attackUntil : undefined);
}

/** @returns the time in ISO 8601, or null */
export function isoOrNull(instant: Instant | undefined): string | null {
  return instant === undefined ? null : toIso(instant);
}
