import { account } from './account.ts';
import { admin } from './admin.ts';
import { apiKeys } from './apiKeys.ts';
import { components } from './components.ts';
import { fields } from './fields.ts';
import { integration } from './integration.ts';
import { kit } from './kit.ts';
import { onboarding } from './onboarding.ts';
import { problems } from './problems.ts';
import { properties } from './properties.ts';
import { setup } from './setup.ts';

/** The English texts, which the other languages translate. */
export const en = {
  account,
  admin,
  apiKeys,
  components,
  fields,
  integration,
  kit,
  onboarding,
  problems,
  properties,
  setup,
} as const;
