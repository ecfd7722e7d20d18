import type { Pacer } from '../../lib/pacer.ts';
import type { GeoipFacts } from '../../model/rules/geoip.ts';
import type { Rule } from '../../model/rules/rule.ts';
import { nextBit } from './bits.ts';
import { compileRules } from './compileRules.ts';
import { createRequestFacts, type RequestSource } from './requestFacts.ts';

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
