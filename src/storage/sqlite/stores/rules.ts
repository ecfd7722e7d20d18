import { and, eq, gt, notInArray, sql } from 'drizzle-orm';
import { done, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { RuleStore } from '../../../model/ports/rules.ts';
import type { RuleHits, RuleId, RuleScope } from '../../../model/rules/rule.ts';
import {
  exceedsOrganization,
  idOfScope,
  type RuleListRow,
  toRuleList,
  toStoredRules,
  type WrittenRules,
} from '../../ruleRows.ts';
import { type MainDatabase, transact } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { ruleHits, ruleLists } from '../schema.ts';

/** @see RuleStore */
export function createRuleStore(database: MainDatabase, change: Change): RuleStore {
  const { orm, raw } = database;
  const find = (scope: RuleScope) => findRules(database, scope);
  const live = raw.query<{ id: number }, [number]>(`
    SELECT p.id FROM properties p JOIN organizations o ON o.id = p.organization_id
    WHERE p.id = ? AND p.deleted_at IS NULL AND o.deleted_at IS NULL`);
  const otherBytes = raw.query<{ bytes: number | null }, [number]>(`
    SELECT sum(octet_length(r.rules)) AS bytes FROM properties changed
    JOIN properties p ON p.organization_id = changed.organization_id AND p.id <> changed.id AND p.deleted_at IS NULL
    JOIN rule_lists r ON r.property_id = p.id WHERE changed.id = ?`);
  const add = raw.query<unknown, [number, number, string]>(
    'UPDATE rule_hits SET hits = hits + ?, last_hit_at = max(?, coalesce(last_hit_at, 0)) WHERE rule_id = ?',
  );

  return {
    list: async (scope) => toRuleList(find(scope)),
    stored: async (scope) => toStoredRules(find(scope)),
    replace: (replacement) =>
      change(replacement.entry, () => {
        const { scope, revision, json } = replacement;
        if (scope !== 'installation' && live.get(scope) === null) return reject('property-gone');
        const stored = find(scope);
        if ((stored?.revision ?? 0) !== revision) return reject('rules-changed-meanwhile');
        const others = scope === 'installation' ? 0 : (otherBytes.get(scope)?.bytes ?? 0);
        if (exceedsOrganization(others, json, stored?.rules))
          return reject('rules-of-organization-too-large');
        return done(writeRules(database, replacement, replacement.now));
      }),
    async hits(scope) {
      const isHit = and(eq(ruleHits.propertyId, idOfScope(scope)), gt(ruleHits.hits, 0));
      return toHits(orm.select().from(ruleHits).where(isHit).all());
    },
    addHits: (records) =>
      transact(database, () => {
        for (const { id, hits, lastHitAt } of records) add.run(hits, lastHitAt, id);
      }),
  };
}

/** @returns undefined if the scope never had rules */
export function findRules({ orm }: MainDatabase, scope: RuleScope): RuleListRow | undefined {
  return orm
    .select()
    .from(ruleLists)
    .where(eq(ruleLists.propertyId, idOfScope(scope)))
    .get();
}

/**
 * Replaces the rules of a scope in the current transaction, and deletes the hits of the rules that are not in the new list.
 *
 * @returns the new revision
 */
export function writeRules({ orm }: MainDatabase, { scope, json, ids }: WrittenRules, now: Instant): number {
  const propertyId = idOfScope(scope);
  const set = { rules: json, changedAt: now };
  const row = orm
    .insert(ruleLists)
    .values({ propertyId, revision: 1, ...set })
    .onConflictDoUpdate({
      target: ruleLists.propertyId,
      set: { ...set, revision: sql`${ruleLists.revision} + 1` },
    })
    .returning({ revision: ruleLists.revision })
    .get();
  const isRemoved = and(eq(ruleHits.propertyId, propertyId), notInArray(ruleHits.ruleId, [...ids]));
  orm.delete(ruleHits).where(isRemoved).run();
  const hits = ids.map((ruleId) => ({ ruleId, propertyId, hits: 0 }));
  if (hits.length > 0) orm.insert(ruleHits).values(hits).onConflictDoNothing().run();
  return row.revision;
}

type HitsRow = {
  readonly ruleId: RuleId;
  readonly hits: number;
  readonly lastHitAt: RuleHits['lastHitAt'] | null;
};

/** Every rule that was hit has a time. */
function toHits(rows: readonly HitsRow[]): ReadonlyMap<RuleId, RuleHits> {
  return new Map(
    rows.flatMap(({ ruleId, hits, lastHitAt }) =>
      lastHitAt === null ? [] : [[ruleId, { hits, lastHitAt }]],
    ),
  );
}
