import type { Catalog } from '../catalog.ts';
import { account } from './account.ts';
import { activity } from './activity.ts';
import { admin } from './admin.ts';
import { apiKeys } from './apiKeys.ts';
import { components } from './components.ts';
import { dashboard } from './dashboard.ts';
import { fields } from './fields.ts';
import { home } from './home.ts';
import { integration } from './integration.ts';
import { kit } from './kit.ts';
import { onboarding } from './onboarding.ts';
import { organizations } from './organizations.ts';
import { problems } from './problems.ts';
import { properties } from './properties.ts';
import { rules } from './rules.ts';
import { setup } from './setup.ts';

/** The French texts. */
export const fr: Catalog = {
  account,
  activity,
  admin,
  apiKeys,
  components,
  dashboard,
  fields,
  home,
  integration,
  kit,
  onboarding,
  organizations,
  problems,
  properties,
  rules,
  setup,
};
