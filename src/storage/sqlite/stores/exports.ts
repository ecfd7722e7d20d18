import { and, asc, eq, getTableColumns, gt, isNull, ne, type SQL, sql } from 'drizzle-orm';
import { lazy } from '../../../lib/lazy.ts';
import type { ExportStore, ExportVisitor } from '../../../model/ports/exports.ts';
import { toExportedRules } from '../../ruleRows.ts';
import { type MainDatabase, snapshot } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { accounts, members, organizations, plans, properties } from '../schema.ts';
import { createImport } from './imports.ts';
import type { RemainingQuotas } from './plans.ts';
import { RULES_JSON } from './properties.ts';
import { findRules } from './rules.ts';

/** Number of properties that one query loads. */
const PAGE_SIZE = 1000;

const isLive = isNull(organizations.deletedAt);

/** @see ExportStore */
export function createExportStore(
  database: MainDatabase,
  remaining: RemainingQuotas,
  change: Change,
): ExportStore {
  const runImport = lazy(() => createImport(database, remaining, change));
  return {
    async read(visitor) {
      snapshot(database, () => read(database, visitor));
    },
    import: (...request) => runImport()(...request),
  };
}

function read(database: MainDatabase, visitor: ExportVisitor): void {
  const { orm } = database;
  const membersOf = prepareMembers(database);
  const visitProperties = prepareProperties(database, visitor);
  const { rules } = toExportedRules(findRules(database, 'installation')?.rules ?? null);
  if (rules !== undefined) visitor.rules(rules);
  for (const plan of orm.select().from(plans).orderBy(asc(plans.name)).all()) visitor.plan(plan);
  for (const { disabledAt, ...user } of selectUsers(database)) {
    visitor.user({ ...user, isDisabled: disabledAt !== null });
  }
  const heads = orm
    .select({ id: organizations.id, name: organizations.name, owner: accounts.email })
    .from(organizations)
    .innerJoin(accounts, eq(accounts.id, organizations.ownerId))
    .where(isLive)
    .orderBy(asc(accounts.email), asc(organizations.nameFolded))
    .all();
  for (const { id, ...head } of heads) {
    visitor.organization({ ...head, members: membersOf.all({ id }).map(({ email }) => email) });
    visitProperties(id);
  }
}

/** The owners and the members of the organizations that are not deleted. */
function selectUsers({ orm }: MainDatabase) {
  const { email, name, plan, disabledAt } = accounts;
  const isUsed: SQL = sql`${accounts.id} IN (
    SELECT owner_id FROM organizations WHERE deleted_at IS NULL
    UNION SELECT m.account_id FROM members m JOIN organizations o ON o.id = m.organization_id WHERE o.deleted_at IS NULL)`;
  return orm.select({ email, name, plan, disabledAt }).from(accounts).where(isUsed).orderBy(asc(email)).all();
}

/** Excludes the owner, because a member who became the owner is still in the table of members. */
function prepareMembers({ orm }: MainDatabase) {
  const isOfOrganization = eq(members.organizationId, sql.placeholder('id'));
  return orm
    .select({ email: accounts.email })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.accountId))
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(and(isOfOrganization, ne(members.accountId, organizations.ownerId)))
    .orderBy(asc(accounts.email))
    .prepare();
}

/** @returns a function that visits the properties of an organization in the order of their folded names */
function prepareProperties({ orm }: MainDatabase, visitor: ExportVisitor): (id: number) => void {
  const page = orm
    .select({ ...getTableColumns(properties), rulesJson: RULES_JSON })
    .from(properties)
    .where(
      and(
        eq(properties.organizationId, sql.placeholder('id')),
        isNull(properties.deletedAt),
        gt(properties.nameFolded, sql.placeholder('after')),
      ),
    )
    .orderBy(asc(properties.nameFolded))
    .limit(PAGE_SIZE)
    .prepare();
  return (id) => {
    // No name is empty, so every name sorts after the empty string.
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows = page.all({ id, after });
      for (const {
        id: _,
        organizationId,
        nameFolded,
        createdAt,
        deletedAt,
        rulesJson,
        ...property
      } of rows) {
        visitor.property({ ...property, ...toExportedRules(rulesJson) });
      }
      after = rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.nameFolded;
    }
  };
}
