import type { Pacer } from '../../lib/pacer.ts';
import type { Instant } from '../../lib/time.ts';
import type { Property } from '../../model/property.ts';
import type { Growth } from '../../model/propertyFields.ts';
import type { GeoipFacts } from '../../model/rules/countries.ts';
import type { Rule, RuleAction } from '../../model/rules/rule.ts';
import { type CompiledRule, type CompiledRules, compileRules } from './compileRules.ts';
import { createRequestFacts, type GeoipLookup, type RequestSource } from './requestFacts.ts';
import type { AppliedRules } from './ruleCache.ts';
import { nextBit } from './ruleSets.ts';

/** What the rules decide about one puzzle: none, or one with another level and growth. */
export type Ruling =
  | { readonly kind: 'block' }
  | {
      readonly kind: 'issue';
      readonly level: number;
      readonly growth: Growth;
      /** Whether the request counts toward the load of its address and of the property. */
      readonly countsAsLoad: boolean;
    };

/** Counts a hit of a rule. */
export type CountHit = (rule: Pick<Rule, 'id'>, now: Instant) => void;

/**
 * Applies the rules of the installation, and then those of the property, to a request for a puzzle. The first rule that matches and is
 * not in dry-run mode decides.
 *
 * @returns undefined if no rule decides
 */
export type Decide = (
  property: Pick<Property, 'level' | 'growth'>,
  rules: AppliedRules,
  source: () => RequestSource,
  now: Instant,
) => Ruling | undefined;

/** @see Decide */
export function createDecide(deps: { readonly geoip: GeoipLookup; readonly countHit: CountHit }): Decide {
  const facts = createRequestFacts(deps.geoip);

  function findIn(list: CompiledRules, now: Instant): RuleAction | undefined {
    const matching = list.match(facts);
    for (let index = nextBit(matching, 0); index >= 0; index = nextBit(matching, index + 1)) {
      const rule = list.rules[index] as CompiledRule;
      deps.countHit(rule, now);
      if (!rule.isDryRun) return rule.action;
    }
    return undefined;
  }

  return (property, rules, source, now) => {
    facts.begin(source());
    const ofInstallation = rules.installation && findIn(rules.installation, now);
    const action = ofInstallation ?? (rules.property && findIn(rules.property, now));
    return action && toRuling(action, property);
  };
}

const [MIN_LEVEL, MAX_LEVEL] = [1, 255];

/** Returns what an action means for a property. Sums of levels are limited to 1..255. */
export function toRuling(action: RuleAction, { level, growth }: Pick<Property, 'level' | 'growth'>): Ruling {
  switch (action.kind) {
    case 'block':
      return { kind: 'block' };
    case 'allow':
      return { kind: 'issue', level: MIN_LEVEL, growth: 'constant', countsAsLoad: false };
    case 'adjust': {
      const adjusted = Math.min(MAX_LEVEL, Math.max(MIN_LEVEL, level + action.levels));
      return { kind: 'issue', level: adjusted, growth, countsAsLoad: true };
    }
    case 'set':
      return { kind: 'issue', level: action.level, growth, countsAsLoad: true };
  }
}

/** Finds the indexes of the enabled rules that match a request, in order. Compiles the rules, so it is not for the hot path. */
export type MatchRules = (
  rules: readonly Rule[],
  source: RequestSource,
  geoip: GeoipFacts,
) => Promise<readonly number[]>;

/** @see MatchRules */
export function createMatchRules({ run }: Pick<Pacer, 'run'>): MatchRules {
  return async (rules, source, geoip) => {
    const facts = createRequestFacts(() => geoip);
    facts.begin(source);
    const matching = (await run(compileRules('installation', rules))).match(facts);
    const indexes: number[] = [];
    for (let index = nextBit(matching, 0); index >= 0; index = nextBit(matching, index + 1))
      indexes.push(index);
    return indexes;
  };
}
