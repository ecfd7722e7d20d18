import { and, asc, eq, getTableColumns, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Email } from '../../model/email.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { ExportStore, ExportVisitor } from '../../model/ports/installation.ts';
import type { Dialect } from '../dialect.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import type { Changes } from '../recordedChange.ts';
import { toExportedRules } from '../ruleRows.ts';
import { accounts, organizations, plans, properties } from '../schema.ts';
import { createImport } from './imports.ts';
import type { RemainingQuotas } from './plans.ts';
import { RULES_JSON } from './properties.ts';
import { findRules } from './rules.ts';

/** Number of properties that one query loads. */
const PAGE_SIZE = 1000;

const isLive = isNull(organizations.deletedAt);

/** @see ExportStore */
export function createExportStore(
  database: StoreDatabase,
  remaining: RemainingQuotas,
  changes: Changes,
): ExportStore {
  return {
    read: (visitor) => database.snapshot((tx) => read(tx, visitor)),
    import: createImport(remaining, changes),
  };
}

async function read(tx: Executor, visitor: ExportVisitor): Promise<void> {
  const { rules } = toExportedRules((await findRules(tx, 'installation'))?.rules ?? null);
  if (rules !== undefined) visitor.rules(rules);
  for (const plan of await tx.select().from(plans).orderBy(asc(plans.name))) visitor.plan(plan);
  for (const { disabledAt, ...user } of await selectUsers(tx))
    visitor.user({ ...user, isDisabled: disabledAt !== null });
  for (const { id, ...head } of await selectHeads(tx)) {
    visitor.organization(head);
    await visitProperties(tx, id, visitor);
  }
}

/** Selects the owners and members of the organizations that are not deleted. */
function selectUsers(tx: Executor) {
  const { id, email, name, plan, disabledAt } = accounts;
  const used = sql`(
    SELECT owner_id FROM organizations WHERE deleted_at IS NULL
    UNION SELECT m.account_id FROM members m JOIN organizations o ON o.id = m.organization_id WHERE o.deleted_at IS NULL)`;
  return tx
    .select({ email, name, plan, disabledAt })
    .from(accounts)
    .where(inArray(id, used))
    .orderBy(asc(email));
}

/** The members, excluding the owner: a member who became the owner is still in the table of members. */
const membersIn = ({ jsonList }: Dialect) =>
  sql`(
    SELECT ${jsonList(sql`a.email`)} FROM members m JOIN accounts a ON a.id = m.account_id
    WHERE m.organization_id = organizations.id AND m.account_id <> organizations.owner_id)`.mapWith(
    (json: string): readonly Email[] => JSON.parse(json),
  );

function selectHeads(tx: Executor) {
  const { id, name, ownerId, nameFolded } = organizations;
  return tx
    .select({ id, name, owner: accounts.email, members: membersIn(tx.engine) })
    .from(organizations)
    .innerJoin(accounts, eq(accounts.id, ownerId))
    .where(isLive)
    .orderBy(asc(accounts.email), asc(nameFolded));
}

/**
 * Without attack mode, which is temporary, and without the number of replacements of the secret for offline verification, because each
 * installation derives a different secret.
 */
const { attackUntil: _, offlineRotations: __, ...EXPORTED } = getTableColumns(properties);
type ExportedRow = Omit<typeof properties.$inferSelect, 'attackUntil' | 'offlineRotations'>;

/** Visits the properties of an organization in the order of their folded names. */
async function visitProperties(tx: Executor, id: OrganizationId, visitor: ExportVisitor): Promise<void> {
  const isWanted = and(eq(properties.organizationId, id), isNull(properties.deletedAt));
  // No name is empty, so every name sorts after the empty string.
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: readonly (ExportedRow & { readonly rulesJson: string | null })[] = await tx
      .select({ ...EXPORTED, rulesJson: RULES_JSON })
      .from(properties)
      .where(and(isWanted, gt(properties.nameFolded, after)))
      .orderBy(asc(properties.nameFolded))
      .limit(PAGE_SIZE);
    for (const { id: _, organizationId, nameFolded, createdAt, deletedAt, rulesJson, ...property } of rows)
      visitor.property({ ...property, ...toExportedRules(rulesJson) });
    after = rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.nameFolded;
  }
}
