import { done, type Outcome, reject } from '../lib/outcome.ts';
import { numberField, textField } from './field.ts';

/** Limits for a user. */
export type Quotas = {
  /** Organizations that the user owns, 0..1,000,000,000. */
  readonly organizations: number;
  /** Properties in all organizations that the user owns, 0..1,000,000,000. */
  readonly properties: number;
};

export type Plan = Quotas & { readonly name: string };

/** Every user has this plan until another one is chosen. */
export const DEFAULT_PLAN = 'default';

/** The plan of users who created their account through an invitation, unless `POSTERN_INVITED_PLAN` names another. */
export const INVITED_PLAN = 'invited';

/** The initial quotas of the plan `invited`: its users can be members of organizations but not own any. */
const NO_QUOTAS: Quotas = { organizations: 0, properties: 0 };

/** @param defaults the initial quotas of the plan `default` @returns the built-in plans with their initial quotas */
export function builtInPlans(defaults: Quotas): readonly Plan[] {
  return [
    { name: DEFAULT_PLAN, ...defaults },
    { name: INVITED_PLAN, ...NO_QUOTAS },
  ];
}

/** @returns the object of the audit log entry `plan-set` */
export function describePlan({ name, organizations, properties }: Plan): string {
  return `${name}: ${organizations} organizations, ${properties} properties`;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** @returns the name unchanged; rejected unless it consists of 1 to 64 of `a-z 0-9 -` and does not start with a dash */
export function parsePlanName(text: string): Outcome<string, 'plan-name-malformed'> {
  return NAME.test(text) ? done(text) : reject('plan-name-malformed');
}

const QUOTA = { isWhole: true, min: 0, max: 1_000_000_000 } as const;

export const PLAN_FIELDS = {
  name: textField(
    { name: 'name', label: 'Name', help: 'Up to 64 lowercase letters, digits, and dashes.' },
    parsePlanName,
  ),
  organizations: numberField(
    {
      name: 'organizations',
      label: 'Organizations',
      help: 'How many organizations a user can own.',
      ...QUOTA,
    },
    'quota-malformed',
  ),
  properties: numberField(
    {
      name: 'properties',
      label: 'Properties',
      help: 'How many properties the organizations that a user owns can have in total.',
      ...QUOTA,
    },
    'quota-malformed',
  ),
} as const;
