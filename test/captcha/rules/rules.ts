import { type CompiledRules, compileRules } from '../../../src/captcha/rules/compileRules.ts';
import { createRequestFacts, type RequestSource } from '../../../src/captcha/rules/requestFacts.ts';
import { nextBit } from '../../../src/captcha/rules/ruleSets.ts';
import { runSteps } from '../../../src/lib/pacer.ts';
import type { GeoipFacts } from '../../../src/model/rules/countries.ts';
import { parseRuleId } from '../../../src/model/rules/parseRules.ts';
import type { Downgrade, Rule, RuleConditions } from '../../../src/model/rules/rule.ts';

/** Rules that block, with these conditions. */
export function newRules(conditions: readonly RuleConditions[]): readonly Rule[] {
  return conditions.map((each, index) => {
    const id = parseRuleId(index.toString(16).padStart(16, '0'));
    if (id === undefined) throw new Error('not an id');
    const fields = { name: `Rule ${index}`, isEnabled: true, isDryRun: false } as const;
    return { ...fields, id, action: { kind: 'block' }, conditions: each };
  });
}

/** The parts of a request that rules can depend on. */
export type Sent = {
  readonly address?: string;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly country?: string;
  readonly asn?: number;
  readonly downgrade?: Downgrade;
};

export function toSource({ address, userAgent, headers = {}, path, downgrade }: Sent): RequestSource {
  const all: Readonly<Record<string, string>> =
    userAgent === undefined ? headers : { ...headers, 'user-agent': userAgent };
  return { address: () => address, header: (name) => all[name] ?? null, path: () => path, downgrade };
}

/** Compiles rules without turns. */
export function compile(rules: readonly Rule[]): CompiledRules {
  return runSteps(compileRules('installation', rules));
}

/** The indexes of the enabled rules that match a request, in order. */
export function matchRules(
  rules: readonly Rule[],
  source: RequestSource,
  geoip: GeoipFacts,
): readonly number[] {
  const facts = createRequestFacts(() => geoip);
  facts.begin(source);
  const matching = compile(rules).match(facts);
  const indexes: number[] = [];
  for (let at = nextBit(matching, 0); at >= 0; at = nextBit(matching, at + 1)) indexes.push(at);
  return indexes;
}
