import type { RequestSource } from '../../../src/captcha/rules/requestFacts.ts';
import type { Rule, RuleConditions, RuleId } from '../../../src/model/rules/rule.ts';

/** Rules that block, with these conditions. */
export function newRules(conditions: readonly RuleConditions[]): readonly Rule[] {
  return conditions.map((each, index) => ({
    id: index.toString(16).padStart(16, '0') as RuleId,
    name: `Rule ${index}`,
    isEnabled: true,
    isDryRun: false,
    action: { kind: 'block' },
    conditions: each,
  }));
}

/** The parts of a request that rules can depend on. */
export type Sent = {
  readonly address?: string;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly country?: string;
  readonly asn?: number;
};

export function toSource({ address, userAgent, headers = {}, path }: Sent): RequestSource {
  const all: Readonly<Record<string, string>> =
    userAgent === undefined ? headers : { ...headers, 'user-agent': userAgent };
  return { address: () => address, header: (name) => all[name] ?? null, path: () => path };
}
