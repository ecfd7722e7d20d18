import { t } from '../i18n/t.ts';
import { BLANK_RULE, type TypedRule } from './ruleFormData.ts';

/** Rules with which the form for a new rule can start. The networks are those of documentation (RFC 5737). */
const EXAMPLES = {
  monitoring: { networks: '192.0.2.10', action: 'allow', mode: 'active' },
  network: { networks: '198.51.100.0/24', action: 'block', mode: 'dry_run' },
  country: { countries: 'US', paths: '/login*', action: 'adjust', levels: '16', mode: 'dry_run' },
} as const satisfies Readonly<Record<string, Partial<TypedRule>>>;

export type ExampleName = keyof typeof EXAMPLES;

export const EXAMPLE_NAMES = Object.keys(EXAMPLES) as readonly ExampleName[];

/** @returns the fields of an example; those of an empty form for any other name */
export function exampleRule(name: string): TypedRule {
  const known = EXAMPLE_NAMES.find((one) => one === name);
  if (known === undefined) return BLANK_RULE;
  return { ...BLANK_RULE, name: t(`rules.examples.${known}.name`), ...EXAMPLES[known] };
}
