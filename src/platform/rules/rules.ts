import type { Done, Outcome, Rejected } from '../../lib/outcome.ts';
import type { Actor } from '../../model/actor.ts';
import type { RuleTest, RuleTestRequest } from '../../model/rules/evaluation.ts';
import type { GeoipStatus } from '../../model/rules/geoip.ts';
import type { Rule, RuleError, RuleHits, RuleId, RuleList, RuleScope } from '../../model/rules/rule.ts';

/** A rule with its hits; undefined if it was never hit. */
export type CountedRule = Rule & { readonly hits: RuleHits | undefined };

/** The rules of a scope in the order of evaluation. */
export type CountedRules = Omit<RuleList, 'rules'> & { readonly rules: readonly CountedRule[] };

/** `property-gone`: the property does not exist, or the actor may not use it. `admin-only`: the scope is the installation. */
export type RuleAccessProblem = 'property-gone' | 'admin-only';

/** `rules-changed-meanwhile`: the list has another revision than the given one. */
export type RuleChangeProblem = RuleAccessProblem | 'rules-changed-meanwhile';

/** The rules have errors, so nothing was changed. */
export type InvalidRules = Rejected<'rules-invalid'> & { readonly errors: readonly RuleError[] };

export type RuleChange<P extends string = RuleChangeProblem> =
  | Done<CountedRules>
  | Rejected<P>
  | InvalidRules;

/** How rules are given. */
export type RuleInput = {
  /** Whether a condition can also be one text: entries on separate lines, or, except for patterns, separated by commas or spaces. */
  readonly acceptsText?: boolean;
  /** The revision that the change is based on; undefined to change the list whatever its revision is. */
  readonly revision?: number | undefined;
};

/** Use cases for rules. Members of the organization manage the rules of a property; administrators, those of the installation. */
export type Rules = {
  /** Lists the rules with their hits. */
  readonly list: (actor: Actor, scope: RuleScope) => Promise<Outcome<CountedRules, RuleAccessProblem>>;
  /**
   * Replaces all rules of a scope. Rules with an id keep their hits.
   *
   * @param rules an array of rules as in the API
   */
  readonly replace: (
    actor: Actor,
    scope: RuleScope,
    rules: unknown,
    input?: RuleInput,
  ) => Promise<RuleChange>;
  /** Adds a rule. Errors have the index of the new rule. @param position its index; by default, it becomes the last rule */
  readonly add: (
    actor: Actor,
    scope: RuleScope,
    rule: unknown,
    input?: RuleInput & { readonly position?: number | undefined },
  ) => Promise<RuleChange>;
  /** Replaces a rule, which keeps its id, its position, and its hits. */
  readonly update: (
    actor: Actor,
    scope: RuleScope,
    id: RuleId,
    rule: unknown,
    input?: RuleInput,
  ) => Promise<RuleChange<RuleChangeProblem | 'rule-unknown'>>;
  /** Moves a rule to another index; indexes after the last one mean the end of the list. */
  readonly move: (
    actor: Actor,
    scope: RuleScope,
    id: RuleId,
    position: number,
    input?: RuleInput,
  ) => Promise<RuleChange<RuleChangeProblem | 'rule-unknown'>>;
  readonly remove: (
    actor: Actor,
    scope: RuleScope,
    id: RuleId,
    input?: RuleInput,
  ) => Promise<RuleChange<RuleChangeProblem | 'rule-unknown'>>;
  /**
   * Answers what would happen to a request. Counts nothing. For a property, the rules of the installation come first; members of an
   * organization see only that such a rule matched, not which one.
   */
  readonly test: (
    actor: Actor,
    scope: RuleScope,
    request: RuleTestRequest,
  ) => Promise<Outcome<RuleTest, RuleAccessProblem | 'address-malformed'>>;
  /** The GeoIP files, so that pages can warn of rules with countries or ASNs that never match. */
  readonly geoip: () => GeoipStatus;
};
