import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import { INSTALLATION } from '../../../model/actor.ts';
import type { ExportDocument, ExportedOrganization } from '../../../model/exportDocument.ts';
import { foldName } from '../../../model/name.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { ExportStore, ImportOptions } from '../../../model/ports/exports.ts';
import type { Sitekey } from '../../../model/property.ts';
import {
  checkPlan,
  createImportRun,
  type ImportRun,
  importProperties,
  importRules,
  resultOfRollback,
  type StoredProperty,
  toChunks,
} from '../../importRun.ts';
import type { PropertyWriter } from '../../propertyWriter.ts';
import type { MainDatabase } from '../open.ts';
import type { Change, RecordEntries } from '../recordedChange.ts';
import { accounts, members, organizations, plans, properties } from '../schema.ts';
import { findAccountByEmail, insertAccount, isPlan } from './accounts.ts';
import { insertMember } from './membership.ts';
import { insertOrganization } from './organizations.ts';
import type { RemainingQuotas } from './plans.ts';
import { RULES_JSON } from './properties.ts';
import { createPropertyWriter } from './propertyWriter.ts';
import { findRules, writeRules } from './rules.ts';

/** The state of one import, within its transaction. */
type Run = ImportRun & {
  readonly database: MainDatabase;
  readonly remaining: RemainingQuotas;
  readonly options: ImportOptions;
  readonly writer: PropertyWriter;
  readonly statements: ReturnType<typeof prepare>;
};

/** @see ExportStore */
export function createImport(
  database: MainDatabase,
  remaining: RemainingQuotas,
  change: Change,
): ExportStore['import'] {
  const createWriter = createPropertyWriter(database, remaining);
  const statements = prepare(database);

  return async (document, options) => {
    const writer = createWriter(INSTALLATION, options.now);
    const run: Run = { database, remaining, options, statements, writer, ...createImportRun(options) };
    try {
      return await change(run.entries, (record) => {
        importAll(run, document, record);
        return run.end();
      });
    } catch (error) {
      return resultOfRollback(error);
    }
  };
}

function importAll(run: Run, document: ExportDocument, record: RecordEntries): void {
  importRules(run, document.rules, findRules(run.database, 'installation')?.rules ?? null);
  for (const [index, plan] of document.plans.entries()) importPlan(run, plan, `$.plans[${index}]`);
  const userIds = new Map<string, AccountId>();
  for (const [index, user] of document.users.entries()) {
    const id = importUser(run, user, `$.users[${index}]`);
    if (id !== undefined) userIds.set(user.email, id);
  }
  for (const [index, organization] of document.organizations.entries()) {
    const path = `$.organizations[${index}]`;
    const id = importOrganization(run, organization, userIds, path);
    if (id !== undefined) importMembers(run, organization, userIds, id);
    let isFull = false;
    for (const { first, items: properties } of toChunks(organization.properties)) {
      const chunk = { properties, first, organizationId: id, path, isFull };
      isFull = importProperties(run, chunk, (sitekey) => findProperty(run, sitekey), run.writer);
      flush(run, record);
    }
    flush(run, record);
  }
  flush(run, record);
}

/** Writes what an import would otherwise keep in memory until its end. */
function flush({ database, options, takeRules, takeEntries }: Run, record: RecordEntries): void {
  for (const list of takeRules()) writeRules(database, list, options.now);
  record(takeEntries());
}

function importPlan(run: Run, plan: ExportDocument['plans'][number], path: string): void {
  const { orm } = run.database;
  const stored = orm.select().from(plans).where(eq(plans.name, plan.name)).get();
  if (stored === undefined) orm.insert(plans).values(plan).run();
  checkPlan(run, plan, stored, path);
}

/** @returns undefined if the user cannot be created */
function importUser(run: Run, user: ExportDocument['users'][number], path: string): AccountId | undefined {
  const { database, options, errors } = run;
  const { email, name, plan, isDisabled } = user;
  const existing = findAccountByEmail(database, email);
  if (existing !== undefined) {
    run.count('users', false);
    return existing.id;
  }
  if (!options.createsUsers) {
    errors.add(`${path}.email`, 'user-missing', email);
    return undefined;
  }
  if (!isPlan(database, plan)) {
    errors.add(`${path}.plan`, 'plan-unknown', plan);
    return undefined;
  }
  const { now } = options;
  const account = insertAccount(
    database,
    { email, name, plan, isAdmin: false, passwordHash: undefined },
    now,
  );
  if (account === undefined) throw new Error(`the user ${email} was created by another process`);
  if (isDisabled) {
    database.orm.update(accounts).set({ disabledAt: now }).where(eq(accounts.id, account.id)).run();
  }
  run.record({ action: 'user-created', subject: email });
  run.count('users', true);
  return account.id;
}

/** @returns undefined if the organization cannot be created */
function importOrganization(
  run: Run,
  { name, owner }: ExportedOrganization,
  userIds: ReadonlyMap<string, AccountId>,
  path: string,
): OrganizationId | undefined {
  const ownerId = userIds.get(owner);
  // The error for the user is sufficient.
  if (ownerId === undefined) return undefined;
  const existing = run.statements.organization.get({ ownerId, nameFolded: foldName(name) });
  if (existing !== undefined) {
    if (existing.name !== name) {
      run.errors.add(`${path}.name`, 'organization-name-taken', existing.name);
      return undefined;
    }
    run.count('organizations', false);
    return existing.id;
  }
  if (run.remaining.organizations(ownerId) <= 0) {
    run.errors.add(path, 'organizations-limit', owner);
    return undefined;
  }
  const { id } = insertOrganization(run.database, name, ownerId, run.options.now);
  run.record({ action: 'organization-created', organizationId: id, subject: name });
  run.count('organizations', true);
  return id;
}

function importMembers(
  run: Run,
  organization: ExportedOrganization,
  userIds: ReadonlyMap<string, AccountId>,
  organizationId: OrganizationId,
): void {
  for (const email of organization.members) {
    const accountId = userIds.get(email);
    if (accountId === undefined) continue;
    const isMember = run.statements.member.get({ organizationId, accountId }) !== undefined;
    run.count('members', !isMember);
    if (isMember) continue;
    insertMember(run.database, organizationId, accountId, run.options.now);
    run.record({ action: 'member-added', organizationId, subject: email });
  }
}

/** Also finds deleted properties, because their sitekeys are still in use. */
function findProperty({ statements }: Run, sitekey: Sitekey): StoredProperty | undefined {
  const row = statements.property.get({ sitekey });
  if (row === undefined) return undefined;
  const isLive =
    row.deletedAt === null && statements.liveOrganization.get({ id: row.organizationId }) !== undefined;
  return { ...row, isLive };
}

/** Prepares the statements that run once for each organization, member, or property. */
function prepare({ orm }: MainDatabase) {
  const isLive = isNull(organizations.deletedAt);
  const hasName = and(
    eq(organizations.ownerId, sql.placeholder('ownerId')),
    eq(organizations.nameFolded, sql.placeholder('nameFolded')),
  );
  const isMember = and(
    eq(members.organizationId, sql.placeholder('organizationId')),
    eq(members.accountId, sql.placeholder('accountId')),
  );
  const { id, name } = organizations;
  const hasId = eq(id, sql.placeholder('id'));
  const hasSitekey = eq(properties.sitekey, sql.placeholder('sitekey'));
  return {
    organization: orm.select({ id, name }).from(organizations).where(and(hasName, isLive)).prepare(),
    liveOrganization: orm.select({ id }).from(organizations).where(and(hasId, isLive)).prepare(),
    member: orm.select({ id: members.accountId }).from(members).where(isMember).prepare(),
    property: orm
      .select({ ...getTableColumns(properties), rulesJson: RULES_JSON })
      .from(properties)
      .where(hasSitekey)
      .prepare(),
  };
}
