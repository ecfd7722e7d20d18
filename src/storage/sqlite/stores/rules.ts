import { and, eq, gt, notInArray, sql } from 'drizzle-orm';
import { done, reject } from '../../../lib/outcome.ts';
import type { RuleReplacement, RuleStore } from '../../../model/ports/rules.ts';
import type { RuleHits, RuleId, RuleScope } from '../../../model/rules/rule.ts';
import { idOfScope, toRuleList, toRuleListRow } from '../../ruleRows.ts';
import { type MainDatabase, transact } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { ruleHits, ruleLists } from '../schema.ts';

/** @see RuleStore */
export function createRuleStore(database: MainDatabase, change: Change): RuleStore {
  const { orm, raw } = database;
  const isOfScope = eq(ruleLists.propertyId, sql.placeholder('id'));
  const select = orm.select().from(ruleLists).where(isOfScope).prepare();
  const find = (scope: RuleScope) => select.get({ id: idOfScope(scope) });
  const live = raw.query<{ id: number }, [number]>(`
    SELECT p.id FROM properties p JOIN organizations o ON o.id = p.organization_id
    WHERE p.id = ? AND p.deleted_at IS NULL AND o.deleted_at IS NULL`);
  const add = raw.query<unknown, [number, number, string]>(
    'UPDATE rule_hits SET hits = hits + ?, last_hit_at = max(?, coalesce(last_hit_at, 0)) WHERE rule_id = ?',
  );

  function write(replacement: RuleReplacement) {
    const row = toRuleListRow(replacement);
    const { propertyId, ...set } = row;
    orm.insert(ruleLists).values(row).onConflictDoUpdate({ target: ruleLists.propertyId, set }).run();
    const ids = replacement.rules.map(({ id }) => id);
    orm
      .delete(ruleHits)
      .where(and(eq(ruleHits.propertyId, propertyId), notInArray(ruleHits.ruleId, ids)))
      .run();
    const rows = ids.map((ruleId) => ({ ruleId, propertyId, hits: 0 }));
    if (rows.length > 0) orm.insert(ruleHits).values(rows).onConflictDoNothing().run();
    return done(toRuleList(row));
  }

  return {
    list: async (scope) => toRuleList(find(scope)),
    json: async (scope) => find(scope)?.rules ?? null,
    replace: (replacement) =>
      change(replacement.entry, () => {
        const { scope, revision } = replacement;
        if (scope !== 'installation' && live.get(scope) === null) return reject('property-gone');
        if ((find(scope)?.revision ?? 0) !== revision) return reject('rules-changed-meanwhile');
        return write(replacement);
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
