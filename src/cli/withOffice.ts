import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { reasonOf } from '../lib/log.ts';
import type { Account } from '../model/account.ts';
import type { AuditAction } from '../model/audit.ts';
import type { OrganizationId } from '../model/organization.ts';
import { type Office, openOffice } from '../office.ts';
import { CommandError, ConfigError, type Context, type ExitCode, granted } from './command.ts';

/** The settings. @throws ConfigError with all mistakes, whatever the command needs of them */
export function configOf({ report }: Context): Config {
  if (report.config === undefined) throw new ConfigError(report.mistakes);
  return report.config;
}

/** Runs work on the data folder, and closes it after. A server may run on the same folder. */
export async function withOffice(
  context: Context,
  work: (office: Office) => Promise<void>,
): Promise<ExitCode> {
  const office = await open(configOf(context), context);
  try {
    await work(office);
    return 0;
  } finally {
    await office.close();
  }
}

async function open(config: Config, { err, report }: Context): Promise<Office> {
  const { dataDir } = config;
  const folder = resolve(dataDir);
  for (const variable of report.unknownVariables) err(`postern: there is no setting ${variable}`);
  if (!existsSync(folder)) err(`postern: this makes the data folder ${folder}`);
  try {
    const onAuditFailure = (action: string, error: unknown) =>
      err(`postern: ${action} is done, but not in the audit log: ${reasonOf(error)}`);
    return await openOffice({ ...config, onAuditFailure });
  } catch (cause) {
    throw new CommandError(`the data folder ${folder} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** Notes down what a command did. @param organizationId whom it concerns, where it is one organization */
export function note(
  office: Office,
  action: AuditAction,
  subject: string,
  organizationId?: OrganizationId,
): Promise<void> {
  return office.audit.recordCommand({ action, subject, organizationId });
}

/** The user with this e-mail address. @throws CommandError */
export async function accountFor(office: Office, email: string): Promise<Account> {
  return granted(await office.accounts.byEmail(email));
}

/** An organization's id as clients write it. @throws CommandError where it is none of ours */
export function organizationIdFor(office: Office, text: string): OrganizationId {
  const id = office.ids.open('organization', text);
  if (id === undefined) return granted({ ok: false, problem: 'organization-id-malformed' });
  return id;
}

/** Tells the e-mail address of an account. */
export async function emailsOf(office: Office): Promise<(id: Account['id']) => string> {
  const emails = new Map((await office.accounts.list()).map(({ id, email }) => [id, email]));
  return (id) => emails.get(id) ?? '';
}
