import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AuditEntry } from '../audit.ts';
import type { RuleHits, RuleId, RuleList, RuleScope } from '../rules/rule.ts';
import type { UsageBatch } from '../statistics.ts';

/** Hits of one rule since the last write, all in the hour of the last hit. */
export type RuleHitRecord = RuleHits & { readonly id: RuleId };

/** The rules of a scope as JSON in the format of the API. */
export type StoredRules = { readonly revision: number; readonly json: string };

/** The rules that replace those of a scope. */
export type RuleReplacement = {
  readonly scope: RuleScope;
  /** The result of `toRulesJson`. Text, because copying 10,000 entries to the writer's thread takes 3 to 10 ms. */
  readonly json: string;
  readonly ids: readonly RuleId[];
  /** The revision that the rules are based on. */
  readonly revision: number;
  readonly now: Instant;
  readonly entry: AuditEntry | undefined;
};

export interface RuleStore {
  /** @returns an empty list with revision 0 if the scope has no rules, or the property does not exist */
  list(scope: RuleScope): Promise<RuleList>;
  /** Returns the rules of a scope as text; undefined if it never had rules. */
  stored(scope: RuleScope): Promise<StoredRules | undefined>;
  /**
   * Replaces all rules of a scope, deletes the hits of the rules that are not in the new list, and appends the entry to the audit log,
   * in one transaction. Changes nothing if the stored revision is not the given one, the property is deleted, or the list is longer than
   * before and the lists of the organization together then exceed RULE_LIMITS.organizationBytes.
   *
   * @returns the new revision
   */
  replace(
    replacement: RuleReplacement,
  ): Promise<
    Outcome<number, 'rules-changed-meanwhile' | 'property-gone' | 'rules-of-organization-too-large'>
  >;
  /** Returns the hits of the rules of a scope that were hit at least once. */
  hits(scope: RuleScope): Promise<ReadonlyMap<RuleId, RuleHits>>;
  /**
   * Adds hits to the rules and to their statistics in one transaction; ignores rules that no longer exist.
   *
   * @param batch identifies the records, so that a call that is repeated because its result was lost adds them only once;
   *   undefined if the call is never repeated
   */
  addHits(records: readonly RuleHitRecord[], batch?: UsageBatch): Promise<void>;
}
