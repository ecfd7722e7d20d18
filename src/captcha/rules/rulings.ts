import type { Instant } from '../../lib/time.ts';
import type { Property } from '../../model/property.ts';
import type { Growth } from '../../model/propertyFields.ts';
import type { Rule, RuleAction } from '../../model/rules/rule.ts';
import { nextBit } from './bits.ts';
import type { CompiledRules } from './compileRules.ts';
import { createRequestFacts, type GeoipLookup, type RequestSource } from './requestFacts.ts';

/** A property with its rules and those of the installation. */
export type RuledProperty = Property & {
  readonly rules?: CompiledRules | undefined;
  readonly installationRules?: CompiledRules | undefined;
};

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
 * @returns undefined if no rule decides. Without rules, reads nothing from the request
 */
export type Decide = (
  property: RuledProperty,
  source: () => RequestSource,
  now: Instant,
) => Ruling | undefined;

/** @see Decide */
export function createDecide(deps: { readonly geoip: GeoipLookup; readonly countHit: CountHit }): Decide {
  const facts = createRequestFacts(deps.geoip);

  function findIn(list: CompiledRules, now: Instant): RuleAction | undefined {
    const matching = list.match(facts);
    for (let index = nextBit(matching, 0); index >= 0; index = nextBit(matching, index + 1)) {
      const rule = list.rules[index] as Rule;
      deps.countHit(rule, now);
      if (!rule.isDryRun) return rule.action;
    }
    return undefined;
  }

  return (property, source, now) => {
    const { installationRules, rules } = property;
    if (installationRules === undefined && rules === undefined) return undefined;
    facts.begin(source());
    const action = (installationRules && findIn(installationRules, now)) ?? (rules && findIn(rules, now));
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
