import type { Random } from '../../lib/ids.ts';
import { type Done, done, type Outcome, type Rejected, reject } from '../../lib/outcome.ts';
import type { Pacer } from '../../lib/pacer.ts';
import type { Clock } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import { withAttackMode } from '../../model/attackMode.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { RuleStore } from '../../model/ports/rules.ts';
import type { GeoipFacts, GeoipStatus } from '../../model/rules/countries.ts';
import type { RuleTest, RuleTestRequest } from '../../model/rules/evaluation.ts';
import type { Rule, RuleError, RuleHits, RuleId, RuleList, RuleScope } from '../../model/rules/rule.ts';
import { RULE_LIMITS } from '../../model/rules/rule.ts';
import type { EntryFor } from '../audit.ts';
import type { Properties } from '../properties/properties.ts';
import {
  createChangeRules,
  type Edit,
  insertRule,
  moveRule,
  removeRule,
  toInvalid,
  updateRule,
} from './ruleChange.ts';
import { type DifficultyOf, type RuleEngine, type RuleTestProblem, testRules } from './ruleTest.ts';

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
  /** The revision that the change is based on; undefined to change the list regardless of its revision. */
  readonly revision?: number | undefined;
};

/**
 * Use cases for rules. Members of the organization manage the rules of a property. Administrators manage those of the installation, also
 * with API keys that are not limited to one organization.
 */
export type Rules = {
  /** Lists the rules with their hits. */
  list(actor: Actor, scope: RuleScope): Promise<Outcome<CountedRules, RuleAccessProblem>>;
  /** Replaces all rules of a scope. Rules with an id keep their hits. @param rules an array of rules as in the API */
  replace(actor: Actor, scope: RuleScope, rules: unknown, input?: RuleInput): Promise<RuleChange>;
  /** Adds a rule. Errors have the index of the new rule. @param position its index; by default, it becomes the last rule */
  add(
    actor: Actor,
    scope: RuleScope,
    rule: unknown,
    input?: RuleInput & { readonly position?: number | undefined },
  ): Promise<RuleChange>;
  /** Replaces a rule, which keeps its id, its position, and its hits. */
  update(
    actor: Actor,
    scope: RuleScope,
    id: RuleId,
    rule: unknown,
    input?: RuleInput,
  ): Promise<RuleChange<RuleChangeProblem | 'rule-unknown'>>;
  /** Moves a rule to another index; indexes after the last one mean the end of the list. */
  move(
    actor: Actor,
    scope: RuleScope,
    id: RuleId,
    position: number,
    input?: RuleInput,
  ): Promise<RuleChange<RuleChangeProblem | 'rule-unknown'>>;
  remove(
    actor: Actor,
    scope: RuleScope,
    id: RuleId,
    input?: RuleInput,
  ): Promise<RuleChange<RuleChangeProblem | 'rule-unknown'>>;
  /**
   * Answers what would happen to a request. Counts nothing. For a property, the rules of the installation come first; users who are not
   * administrators see only that such a rule matched, not which one.
   *
   * @param difficultyOf the difficulty at the current load; by default, without load
   */
  test(
    actor: Actor,
    scope: RuleScope,
    request: RuleTestRequest,
    difficultyOf?: DifficultyOf,
  ): Promise<Outcome<RuleTest, RuleAccessProblem | RuleTestProblem>>;
  /** Describes the GeoIP files, so that pages can warn of rules that never match. */
  geoip(): GeoipStatus;
};

/** The GeoIP files of this process. */
export type GeoipSource = {
  readonly find: (address: string | undefined) => GeoipFacts;
  readonly status: () => GeoipStatus;
  /** Reads the files if they were never read. */
  readonly load: () => Promise<void>;
};

/** @see Rules */
export function createRules(deps: {
  readonly store: RuleStore;
  readonly properties: Pick<Properties, 'find'>;
  readonly engine: RuleEngine;
  readonly geoip: GeoipSource;
  readonly accountStore: Pick<AccountStore, 'byId'>;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacer: Pick<Pacer, 'run'>;
}): Rules {
  const { store } = deps;
  const changeRules = createChangeRules(deps);

  async function isAdministrator(actor: Actor): Promise<boolean> {
    if (actor.isAdmin) return true;
    const isUserKey = actor.source === 'api-key' && actor.limits.organizationId === undefined;
    return isUserKey && (await deps.accountStore.byId(actor.user))?.isAdmin === true;
  }

  /** @returns the property of a scope; undefined for the installation */
  async function requireScope(actor: Actor, scope: RuleScope) {
    if (scope !== 'installation') return deps.properties.find(actor, scope);
    return (await isAdministrator(actor)) ? done(undefined) : reject('admin-only');
  }

  async function withHits(scope: RuleScope, list: RuleList): Promise<CountedRules> {
    const hits = await store.hits(scope);
    return { ...list, rules: list.rules.map((rule) => ({ ...rule, hits: hits.get(rule.id) })) };
  }

  async function change(
    actor: Actor,
    scope: RuleScope,
    input: RuleInput,
    edit: Edit,
  ): Promise<RuleChange<RuleChangeProblem | 'rule-unknown'>> {
    const property = await requireScope(actor, scope);
    if (!property.ok) return property;
    const changed = await changeRules(actor, scope, property.value, input, edit);
    return changed.ok ? done(await withHits(scope, changed.value)) : changed;
  }

  return {
    async list(actor, scope) {
      const property = await requireScope(actor, scope);
      return property.ok ? done(await withHits(scope, await store.list(scope))) : property;
    },
    async replace(actor, scope, rules, input = {}) {
      if (Array.isArray(rules)) return withoutUnknown(await change(actor, scope, input, () => done(rules)));
      const property = await requireScope(actor, scope);
      return property.ok ? toInvalid([{ problem: 'rules-not-a-list' }]) : property;
    },
    async add(actor, scope, rule, input = {}) {
      const { position = RULE_LIMITS.rules } = input;
      return withoutUnknown(await change(actor, scope, input, insertRule(rule, position)));
    },
    update: (actor, scope, id, rule, input = {}) => change(actor, scope, input, updateRule(id, rule)),
    move: (actor, scope, id, position, input = {}) => change(actor, scope, input, moveRule(id, position)),
    remove: (actor, scope, id, input = {}) => change(actor, scope, input, removeRule(id)),
    async test(actor, scope, request, difficultyOf = ({ level }) => level) {
      const found = await requireScope(actor, scope);
      if (!found.ok) return found;
      await deps.geoip.load();
      const property = found.value && withAttackMode(found.value, deps.clock());
      const rules = property && { property, rules: (await store.list(property.id)).rules };
      const installation = (await store.list('installation')).rules;
      const tested = { installation, property: rules, showsInstallation: await isAdministrator(actor) };
      return testRules(tested, request, { engine: deps.engine, findGeoip: deps.geoip.find, difficultyOf });
    },
    geoip: deps.geoip.status,
  };
}

/** Only a change that names a rule can be rejected with `rule-unknown`. */
function withoutUnknown(changed: RuleChange<RuleChangeProblem | 'rule-unknown'>): RuleChange {
  if (changed.ok || changed.problem === 'rules-invalid') return changed;
  const { problem } = changed;
  if (problem === 'rule-unknown') throw new Error('no rule was named');
  return reject(problem);
}
