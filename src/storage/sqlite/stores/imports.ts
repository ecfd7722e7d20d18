import { and, eq, isNull, sql } from 'drizzle-orm';
import type { AccountId } from '../../../model/account.ts';
import { INSTALLATION } from '../../../model/actor.ts';
import type { AuditEntry } from '../../../model/audit.ts';
import {
  createErrorList,
  type ErrorList,
  type ExportDocument,
  type ExportedKind,
  type ExportedOrganization,
  type ExportedProperty,
  type ImportCounts,
  type ImportResult,
} from '../../../model/exportDocument.ts';
import { foldName } from '../../../model/name.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import { toPlanSubject } from '../../../model/plan.ts';
import type { ExportStore, ImportOptions } from '../../../model/ports/exports.ts';
import { toAuditedActions } from '../../../model/property.ts';
import { PROPERTY_FIELDS } from '../../../model/propertyFields.ts';
import type { MainDatabase } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { accounts, members, organizations, plans, properties } from '../schema.ts';
import { findAccountByEmail, insertAccount, isPlan } from './accounts.ts';
import { insertMember } from './membership.ts';
import { insertOrganization } from './organizations.ts';
import type { RemainingQuotas } from './plans.ts';
import { createPropertyWriter, type PropertyWriter } from './propertyWriter.ts';

/** Ends a transaction that must not change anything. */
class Rollback extends Error {
  override readonly name = 'Rollback';
}

/** The state of one import, within its transaction. */
type Run = {
  readonly database: MainDatabase;
  readonly remaining: RemainingQuotas;
  readonly options: ImportOptions;
  readonly errors: ErrorList;
  readonly writer: PropertyWriter;
  readonly statements: ReturnType<typeof prepare>;
  readonly count: (kind: ExportedKind, isCreated: boolean) => void;
  readonly record: (audited: Pick<AuditEntry, 'action' | 'subject'> & Partial<AuditEntry>) => void;
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
    const { entry, isDryRun, now } = options;
    const errors = createErrorList();
    const counts = createCounts();
    const entries: AuditEntry[] = [];
    const run: Run = {
      database,
      remaining,
      options,
      errors,
      statements,
      writer: createWriter(INSTALLATION, now),
      count: (kind, isCreated) => counts[kind][isCreated ? 'created' : 'unchanged']++,
      record: (audited) => entry && entries.push({ ...entry, ...audited }),
    };
    let result: ImportResult = { ok: false, ...errors.all() };
    const work = (): ImportResult => {
      importAll(run, document);
      result = errors.all().total > 0 ? { ok: false, ...errors.all() } : { ok: true, value: counts };
      if (isDryRun || !result.ok) throw new Rollback('nothing is changed');
      return result;
    };
    const allEntries = () => (entries.length === 0 ? [] : [...entries, entry]);
    try {
      return await change(allEntries, work);
    } catch (error) {
      if (error instanceof Rollback) return result;
      throw error;
    }
  };
}

function createCounts(): { [Kind in keyof ImportCounts]: { created: number; unchanged: number } } {
  const none = () => ({ created: 0, unchanged: 0 });
  return { plans: none(), users: none(), organizations: none(), members: none(), properties: none() };
}

function importAll(run: Run, document: ExportDocument): void {
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
    importProperties(run, organization, id, path);
  }
}

function importPlan(
  { database: { orm }, errors, count, record }: Run,
  plan: ExportDocument['plans'][number],
  path: string,
): void {
  const stored = orm.select().from(plans).where(eq(plans.name, plan.name)).get();
  if (stored === undefined) {
    orm.insert(plans).values(plan).run();
    record({ action: 'plan-set', subject: toPlanSubject(plan) });
  } else if (stored.organizations !== plan.organizations || stored.properties !== plan.properties) {
    errors.add(
      `${path}.name`,
      'plan-differs',
      `${stored.organizations} organizations, ${stored.properties} properties`,
    );
  }
  count('plans', stored === undefined);
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

/** @param organizationId undefined if the organization cannot be created; then only the sitekeys are checked */
function importProperties(
  run: Run,
  { properties: all }: ExportedOrganization,
  organizationId: OrganizationId | undefined,
  path: string,
): void {
  let isFull = false;
  for (const [index, property] of all.entries()) {
    const at = `${path}.properties[${index}]`;
    const existing = run.statements.property.get({ sitekey: property.sitekey });
    if (existing !== undefined) {
      compare(run, property, existing, organizationId, at);
      continue;
    }
    if (organizationId === undefined || isFull) continue;
    const created = run.writer.create({ ...property, organizationId });
    if (created.ok) {
      for (const audited of toAuditedActions(created.value, ['property-created'])) run.record(audited);
      run.count('properties', true);
    } else if (created.problem === 'properties-limit') {
      isFull = true;
      run.errors.add(`${path}.properties`, created.problem);
    } else {
      run.errors.add(`${at}.name`, created.problem);
    }
  }
}

/** Counts a property that exists with the same values; otherwise adds an error. */
function compare(
  { errors, count, statements }: Run,
  property: ExportedProperty,
  existing: typeof properties.$inferSelect,
  organizationId: OrganizationId | undefined,
  path: string,
): void {
  const isLive =
    existing.deletedAt === null && statements.liveOrganization.get({ id: existing.organizationId });
  if (!isLive) errors.add(`${path}.sitekey`, 'sitekey-deleted');
  else if (existing.organizationId !== organizationId) errors.add(`${path}.sitekey`, 'sitekey-taken');
  else {
    const fields = Object.entries(PROPERTY_FIELDS);
    const stored: Readonly<Record<string, unknown>> = existing;
    const wanted: Readonly<Record<string, unknown>> = property;
    const different = fields.filter(([key]) => stored[key] !== wanted[key]).map(([, { name }]) => name);
    if (different.length === 0) count('properties', false);
    else errors.add(path, 'property-differs', different.join(', '));
  }
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
    /** Also finds deleted properties, because their sitekeys are still in use. */
    property: orm.select().from(properties).where(hasSitekey).prepare(),
  };
}
