import { and, eq, isNull } from 'drizzle-orm';
import type { AccountId } from '../../model/account.ts';
import { INSTALLATION } from '../../model/actor.ts';
import type { ExportDocument, ExportedOrganization, ExportedProperty } from '../../model/exportDocument.ts';
import { foldName } from '../../model/name.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { ExportStore, ImportOptions } from '../../model/ports/installation.ts';
import type { NewProperty } from '../../model/ports/property.ts';
import type { Executor } from '../executor.ts';
import {
  checkPlan,
  createImportRun,
  type ImportedProperties,
  type ImportRun,
  importProperties,
  importRules,
  resultOfRollback,
  toChunks,
} from '../importRun.ts';
import { insertRows } from '../queries.ts';
import type { Changes, RecordEntries } from '../recordedChange.ts';
import { accounts, members, organizations, plans, properties } from '../schema.ts';
import { insertAccount, isPlan } from './accounts.ts';
import { insertOrganization } from './organizations.ts';
import type { RemainingQuotas } from './plans.ts';
import { RULES_JSON } from './properties.ts';
import { beginWriter, type WriteBatch } from './propertyWriter.ts';
import { findRules, writeRules } from './rules.ts';

/** Number of imported properties after which the statistics of the tables are updated for the first time. */
const FIRST_GROWTH = 1000;

/** The state of one import, within its transaction. */
type Run = ImportRun & {
  readonly tx: Executor;
  readonly remaining: RemainingQuotas;
  readonly options: ImportOptions;
  readonly write: WriteBatch;
  readonly append: RecordEntries;
  /** Call it after each chunk with the number of properties that the chunk adds. */
  readonly grow: (count: number) => Promise<void>;
};

/** @see ExportStore */
export function createImport(remaining: RemainingQuotas, { invalidate }: Changes): ExportStore['import'] {
  return async (document, options) => {
    const started = createImportRun(options);
    try {
      return await invalidate(started.entries, async (tx, append) => {
        const write = beginWriter(tx, remaining, INSTALLATION, options.now);
        const run: Run = { tx, remaining, options, write, append, grow: createGrow(tx), ...started };
        await importAll(run, document);
        return started.end();
      });
    } catch (error) {
      return resultOfRollback(error);
    }
  };
}

async function importAll(run: Run, document: ExportDocument): Promise<void> {
  importRules(run, document.rules, (await findRules(run.tx, 'installation'))?.rules ?? null);
  for (const [index, plan] of document.plans.entries()) await importPlan(run, plan, `$.plans[${index}]`);
  const userIds = await importUsers(run, document.users);
  for (const [index, organization] of document.organizations.entries()) {
    const path = `$.organizations[${index}]`;
    const id = await importOrganization(run, organization, userIds, path);
    if (id !== undefined) await importMembers(run, organization, userIds, id);
    await importAllProperties(run, organization, id, path);
    await flush(run);
  }
  await flush(run);
  await run.tx.engine.analyze(run.tx);
}

/** Writes what an import would otherwise keep in memory until its end. */
async function flush({ tx, options, takeRules, takeEntries, append }: Run): Promise<void> {
  await writeRules(tx, takeRules(), options.now);
  await append(takeEntries());
}

/** @returns a function that updates the planner's statistics each time the number of imported properties has grown by a factor of four */
function createGrow(tx: Executor): (count: number) => Promise<void> {
  let imported = 0;
  let next = FIRST_GROWTH;
  return async (count) => {
    imported += count;
    if (imported < next) return;
    next = imported * 4;
    await tx.engine.analyze(tx);
  };
}

async function importPlan(run: Run, plan: ExportDocument['plans'][number], path: string): Promise<void> {
  const [stored] = await run.tx.select().from(plans).where(eq(plans.name, plan.name));
  if (stored === undefined) await run.tx.insert(plans).values(plan);
  checkPlan(run, plan, stored, path);
}

/** @returns the ids of all users that existed or could be created, by email address */
async function importUsers(run: Run, users: ExportDocument['users']) {
  const { id, email } = accounts;
  const ids = new Map<string, AccountId>();
  for (const { first, items } of toChunks(users)) {
    const emails = items.map((user) => user.email);
    const found = await run.tx
      .select({ id, email })
      .from(accounts)
      .where(run.tx.engine.isAnyOf(email, emails));
    for (const account of found) ids.set(account.email, account.id);
    for (const [index, user] of items.entries()) {
      if (ids.has(user.email)) run.count('users', false);
      else {
        const created = await createUser(run, user, `$.users[${first + index}]`);
        if (created !== undefined) ids.set(user.email, created);
      }
    }
  }
  return ids;
}

/** @returns undefined if the user cannot be created */
async function createUser(
  { tx, options: { createsUsers, now }, errors, count, record }: Run,
  { email, name, plan, isDisabled }: ExportDocument['users'][number],
  path: string,
): Promise<AccountId | undefined> {
  if (!createsUsers) {
    errors.add(`${path}.email`, 'user-missing', email);
    return undefined;
  }
  if (!(await isPlan(tx, plan))) {
    errors.add(`${path}.plan`, 'plan-unknown', plan);
    return undefined;
  }
  const values = { email, name, plan, isAdmin: false, passwordHash: undefined };
  const account = await insertAccount(tx, values, now);
  if (account === undefined) throw new Error(`the user ${email} was created by another process`);
  if (isDisabled) await tx.update(accounts).set({ disabledAt: now }).where(eq(accounts.id, account.id));
  record({ action: 'user-created', object: email });
  count('users', true);
  return account.id;
}

/** @returns undefined if the organization cannot be created */
async function importOrganization(
  run: Run,
  { name, owner }: ExportedOrganization,
  userIds: ReadonlyMap<string, AccountId>,
  path: string,
): Promise<OrganizationId | undefined> {
  const ownerId = userIds.get(owner);
  // The error for the user is sufficient.
  if (ownerId === undefined) return undefined;
  const hasName = and(eq(organizations.ownerId, ownerId), eq(organizations.nameFolded, foldName(name)));
  const [existing] = await run.tx
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(and(hasName, isNull(organizations.deletedAt)));
  if (existing !== undefined) {
    if (existing.name !== name) {
      run.errors.add(`${path}.name`, 'organization-name-taken', existing.name);
      return undefined;
    }
    run.count('organizations', false);
    return existing.id;
  }
  if ((await run.remaining.organizations(run.tx, ownerId)) <= 0) {
    run.errors.add(path, 'organizations-limit', owner);
    return undefined;
  }
  const { id } = await insertOrganization(run.tx, name, ownerId, run.options.now);
  run.record({ action: 'organization-created', organizationId: id, object: name });
  run.count('organizations', true);
  return id;
}

async function importMembers(
  { tx, options: { now }, count, record }: Run,
  { members: emails }: ExportedOrganization,
  userIds: ReadonlyMap<string, AccountId>,
  organizationId: OrganizationId,
): Promise<void> {
  if (emails.length === 0) return;
  const { accountId } = members;
  const rows = await tx.select({ accountId }).from(members).where(eq(members.organizationId, organizationId));
  const existing = new Set(rows.map((row) => row.accountId));
  const added = [];
  for (const email of emails) {
    const id = userIds.get(email);
    if (id === undefined) continue;
    count('members', !existing.has(id));
    if (existing.has(id)) continue;
    added.push({ organizationId, accountId: id, createdAt: now });
    record({ action: 'member-added', organizationId, object: email });
  }
  await insertRows(tx, members, added);
}

/** @param organizationId undefined if the organization cannot be created; then only the sitekeys are checked */
async function importAllProperties(
  run: Run,
  organization: ExportedOrganization,
  organizationId: OrganizationId | undefined,
  path: string,
): Promise<void> {
  let isFull = false;
  for (const { first, items } of toChunks(organization.properties)) {
    const stored = await findProperties(run.tx, items);
    const creations: readonly NewProperty[] =
      organizationId === undefined || isFull
        ? []
        : items.filter(({ sitekey }) => !stored.has(sitekey)).map((item) => ({ ...item, organizationId }));
    const chunk: ImportedProperties = { properties: items, first, organizationId, path, isFull };
    isFull = await run.write({ creations }, (writer) =>
      importProperties(run, chunk, (sitekey) => stored.get(sitekey), writer),
    );
    await flush(run);
    await run.grow(creations.length);
  }
}

/** Also finds deleted properties, because their sitekeys are still in use. */
async function findProperties(tx: Executor, wanted: readonly ExportedProperty[]) {
  const sitekeys = wanted.map(({ sitekey }) => sitekey);
  const rows = await tx
    .select({ property: properties, deletedAt: organizations.deletedAt, rulesJson: RULES_JSON })
    .from(properties)
    .innerJoin(organizations, eq(organizations.id, properties.organizationId))
    .where(tx.engine.isAnyOf(properties.sitekey, sitekeys));
  return new Map(
    rows.map(({ property, deletedAt, rulesJson }) => [
      property.sitekey,
      { ...property, rulesJson, isLive: property.deletedAt === null && deletedAt === null },
    ]),
  );
}
