import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { reasonOf } from '../lib/log.ts';
import type { Account } from '../model/account.ts';
import type { AuditAction } from '../model/audit.ts';
import type { OrganizationId } from '../model/organization.ts';
import { openServices, type Services } from '../server/services.ts';
import { CommandError, ConfigError, type Context, type ExitCode, granted } from './command.ts';

/** The settings. @throws ConfigError with all mistakes, whatever the command needs of them */
export function configOf({ report }: Context): Config {
  if (report.config === undefined) throw new ConfigError(report.errors);
  return report.config;
}

/** Runs work on the data folder, and closes it after. A server may run on the same folder. */
export async function withServices(
  context: Context,
  work: (services: Services) => Promise<void>,
): Promise<ExitCode> {
  const services = await open(configOf(context), context);
  try {
    await work(services);
    return 0;
  } finally {
    await services.close();
  }
}

async function open(config: Config, { err, report }: Context): Promise<Services> {
  const { dataDir } = config;
  const folder = resolve(dataDir);
  for (const variable of report.unknownVariables) err(`postern: there is no setting ${variable}`);
  if (!existsSync(folder)) err(`postern: this makes the data folder ${folder}`);
  try {
    const onAuditFailure = (action: string, error: unknown) =>
      err(`postern: ${action} is done, but not in the audit log: ${reasonOf(error)}`);
    return await openServices({ ...config, onAuditFailure });
  } catch (cause) {
    throw new CommandError(`the data folder ${folder} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** Notes down what a command did. @param organizationId whom it concerns, where it is one organization */
export function note(
  services: Services,
  action: AuditAction,
  subject: string,
  organizationId?: OrganizationId,
): Promise<void> {
  return services.audit.recordCommand({ action, subject, organizationId });
}

/** The user with this e-mail address. @throws CommandError */
export async function accountFor(services: Services, email: string): Promise<Account> {
  return granted(await services.accounts.byEmail(email));
}

/** An organization's id as clients write it. @throws CommandError where it is none of ours */
export function organizationIdFor(services: Services, text: string): OrganizationId {
  const id = services.ids.open('organization', text);
  if (id === undefined) return granted({ ok: false, problem: 'organization-id-malformed' });
  return id;
}

/** Tells the e-mail address of an account. */
export async function emailsOf(services: Services): Promise<(id: Account['id']) => string> {
  const emails = new Map((await services.accounts.list()).map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? '';
}
