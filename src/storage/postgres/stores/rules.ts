import { and, eq, gt, isNotNull, isNull, notInArray, sql } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { RuleReplacement, RuleStore } from '../../../model/ports/rules.ts';
import type { PropertyId } from '../../../model/property.ts';
import type { Rule, RuleHits, RuleId, RuleList, RuleScope } from '../../../model/rules/rule.ts';
import { toRulesJson } from '../../../model/rules/rulesJson.ts';
import { idOfScope, toRuleList } from '../../ruleRows.ts';
import type { Database } from '../connect.ts';
import { insertRows } from '../manyRows.ts';
import type { Changes } from '../recordedChange.ts';
import { organizations, properties, ruleHits, ruleLists } from '../schema.ts';
import type { Executor } from '../transact.ts';
import { isFirst } from './statistics.ts';

/** @see RuleStore */
export function createRuleStore({ orm }: Database, { invalidate }: Changes): RuleStore {
  return {
    list: async (scope) => toRuleList(await findRules(orm, scope)),
    json: async (scope) => (await findRules(orm, scope))?.rules ?? null,
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
      orm.transaction(async (tx) => {
        if (batch !== undefined && !(await isFirst(tx, batch))) return;
        const list = <Value>(value: (record: (typeof records)[number]) => Value) =>
          sql.param(records.map(value));
        // Locks the rows in the order of their ids, so that nodes that add hits at the same time do not block each other forever.
        await tx.execute(sql`
          WITH given AS (
            SELECT * FROM unnest(${list(({ id }) => id)}::text[], ${list(({ hits }) => hits)}::bigint[],
              ${list(({ lastHitAt }) => lastHitAt)}::bigint[]) AS given (id, hits, at)
          ), locked AS (
            SELECT rule_id FROM rule_hits WHERE rule_id IN (SELECT id FROM given) ORDER BY rule_id FOR UPDATE
          )
          UPDATE rule_hits h SET hits = h.hits + given.hits, last_hit_at = greatest(h.last_hit_at, given.at)
          FROM given JOIN locked ON locked.rule_id = given.id WHERE h.rule_id = given.id`);
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

async function replace(
  tx: Executor,
  replacement: RuleReplacement,
): Promise<Outcome<RuleList, 'rules-changed-meanwhile' | 'property-gone'>> {
  const { scope, revision, rules } = replacement;
  if (scope !== 'installation' && !(await isLive(tx, scope))) return reject('property-gone');
  if (((await findRules(tx, scope))?.revision ?? 0) !== revision) return reject('rules-changed-meanwhile');
  await writeRules(tx, [{ scope, rules }], replacement.now);
  return done(toRuleList(await findRules(tx, scope)));
}

/** Replaces the rules of scopes, and deletes the hits of the rules that are not in the new lists. */
export async function writeRules(
  tx: Executor,
  lists: readonly { readonly scope: RuleScope; readonly rules: readonly Rule[] }[],
  now: Instant,
): Promise<void> {
  const revision = sql`${ruleLists.revision} + 1`;
  for (const { scope, rules } of lists) {
    const propertyId = idOfScope(scope);
    const set = { rules: toRulesJson(rules), changedAt: now };
    await tx
      .insert(ruleLists)
      .values({ propertyId, revision: 1, ...set })
      .onConflictDoUpdate({ target: ruleLists.propertyId, set: { ...set, revision } });
    const isOfScope = eq(ruleHits.propertyId, propertyId);
    const known = await tx.select({ id: ruleHits.ruleId }).from(ruleHits).where(isOfScope);
    const ids = rules.map(({ id }) => id);
    if (known.length > 0) await tx.delete(ruleHits).where(and(isOfScope, notInArray(ruleHits.ruleId, ids)));
    const knownIds = new Set(known.map(({ id }) => id));
    const added = ids.filter((id) => !knownIds.has(id));
    await insertRows(
      tx,
      ruleHits,
      added.map((ruleId) => ({ ruleId, propertyId, hits: 0 })),
    );
  }
}

/** Whether neither the property nor its organization is deleted. */
async function isLive(tx: Executor, id: PropertyId): Promise<boolean> {
  const rows = await tx
    .select({ id: properties.id })
    .from(properties)
    .innerJoin(organizations, eq(organizations.id, properties.organizationId))
    .where(and(eq(properties.id, id), isNull(properties.deletedAt), isNull(organizations.deletedAt)));
  return rows.length > 0;
}
