import { and, eq, gt, isNotNull, isNull, notInArray, sql } from 'drizzle-orm';
import { done, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { RuleReplacement, RuleStore } from '../../model/ports/rules.ts';
import type { PropertyId } from '../../model/property.ts';
import type { RuleHits, RuleId, RuleScope } from '../../model/rules/rule.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { insertRows } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { exceedsOrganization, idOfScope, toRuleList, toStoredRules, type WrittenRules } from '../ruleRows.ts';
import { organizations, properties, ruleHits, ruleLists } from '../schema.ts';
import { addRuleHours } from './statistics.ts';

/** @see RuleStore */
export function createRuleStore(database: StoreDatabase, { invalidate }: Changes): RuleStore {
  const { orm } = database;
  return {
    list: async (scope) => toRuleList(await findRules(orm, scope)),
    stored: async (scope) => toStoredRules(await findRules(orm, scope)),
    replace: (replacement) => invalidate(replacement.entry, (tx) => replace(tx, replacement)),
    async hits(scope) {
      const { ruleId, hits, lastHitAt, propertyId } = ruleHits;
      const isHit = and(eq(propertyId, idOfScope(scope)), gt(hits, 0), isNotNull(lastHitAt));
      const rows = await orm.select().from(ruleHits).where(isHit).orderBy(ruleId);
      return new Map(
        rows.flatMap((row): readonly [RuleId, RuleHits][] =>
          row.lastHitAt === null ? [] : [[row.ruleId, { hits: row.hits, lastHitAt: row.lastHitAt }]],
        ),
      );
    },
    addHits: (records, batch) =>
      database.transactConcurrently(async (tx) => {
        await tx.engine.lock(tx, 'statistics', 'shared');
        if (batch !== undefined && !(await tx.engine.isFirst(tx, batch))) return;
        const { ruleId, hits, lastHitAt } = ruleHits;
        const rows = records.map(({ id, ...record }) => ({ ...record, ruleId: id }));
        const given = tx.engine.toRecords(Object.entries({ ruleId, hits, lastHitAt }), rows);
        // Locks the rows in the order of their ids, so that nodes that add hits at the same time do not block each other forever.
        const known = await tx.execute<{ id: RuleId }>(sql`
          WITH given AS (
            SELECT rule_id AS id, sum(hits) AS hits, max(last_hit_at) AS at FROM ${given} GROUP BY rule_id
          ),
          locked AS (
            SELECT k.rule_id AS locked_id FROM rule_hits AS k WHERE k.rule_id IN (SELECT id FROM given)
            ORDER BY k.rule_id ${tx.engine.lockRows('k')}
          )
          UPDATE rule_hits AS h SET hits = h.hits + given.hits,
            last_hit_at = ${tx.engine.greatest(sql`coalesce(h.last_hit_at, given.at)`, sql`given.at`)}
          FROM given JOIN locked ON locked_id = given.id WHERE h.rule_id = given.id
          RETURNING rule_id AS id`);
        const ids = new Set(known.map(({ id }) => id));
        const counted = records.filter(({ id }) => ids.has(id));
        if (counted.length > 0) await addRuleHours(tx, counted);
      }),
  };
}

/** @returns undefined if the scope never had rules */
export async function findRules(executor: Executor, scope: RuleScope) {
  const [row] = await executor
    .select()
    .from(ruleLists)
    .where(eq(ruleLists.propertyId, idOfScope(scope)));
  return row;
}

async function replace(tx: Executor, replacement: RuleReplacement): ReturnType<RuleStore['replace']> {
  const { scope, revision, json } = replacement;
  if (scope !== 'installation' && !(await isLive(tx, scope))) return reject('property-gone');
  const stored = await findRules(tx, scope);
  if ((stored?.revision ?? 0) !== revision) return reject('rules-changed-meanwhile');
  const others = scope === 'installation' ? 0 : await bytesOfOthers(tx, scope);
  if (exceedsOrganization(others, json, stored?.rules)) return reject('rules-of-organization-too-large');
  await writeRules(tx, [replacement], replacement.now);
  return done(revision + 1);
}

/** Returns the size of the other lists of the property's organization, in bytes. */
async function bytesOfOthers(tx: Executor, id: PropertyId): Promise<number> {
  const [row] = await tx.execute<{ bytes: string | number | null }>(sql`
    SELECT sum(octet_length(r.rules)) AS bytes FROM properties changed
    JOIN properties p ON p.organization_id = changed.organization_id AND p.id <> changed.id AND p.deleted_at IS NULL
    JOIN rule_lists r ON r.property_id = p.id WHERE changed.id = ${id}`);
  return Number(row?.bytes ?? 0);
}

/** Replaces the rules of scopes, and deletes the hits of the rules that are not in the new lists. */
export async function writeRules(tx: Executor, lists: readonly WrittenRules[], now: Instant): Promise<void> {
  const revision = sql`${ruleLists.revision} + 1`;
  for (const { scope, json, ids } of lists) {
    const propertyId = idOfScope(scope);
    const set = { rules: json, changedAt: now };
    await tx
      .insert(ruleLists)
      .values({ propertyId, revision: 1, ...set })
      .onConflictDoUpdate({ target: ruleLists.propertyId, set: { ...set, revision } });
    const isOfScope = eq(ruleHits.propertyId, propertyId);
    const known = await tx.select({ id: ruleHits.ruleId }).from(ruleHits).where(isOfScope);
    if (known.length > 0)
      await tx.delete(ruleHits).where(and(isOfScope, notInArray(ruleHits.ruleId, [...ids])));
    const knownIds = new Set(known.map(({ id }) => id));
    const added = ids.filter((id) => !knownIds.has(id));
    await insertRows(
      tx,
      ruleHits,
      added.map((ruleId) => ({ ruleId, propertyId, hits: 0 })),
    );
  }
}

/** Whether neither the property nor its organization is deleted. Locks the organization, whose lists are limited together. */
async function isLive(tx: Executor, id: PropertyId): Promise<boolean> {
  const rows = await tx
    .select({ id: properties.id })
    .from(properties)
    .innerJoin(organizations, eq(organizations.id, properties.organizationId))
    .where(and(eq(properties.id, id), isNull(properties.deletedAt), isNull(organizations.deletedAt)))
    .for('update', { of: organizations });
  return rows.length > 0;
}
