import { ACCOUNT_ROUTES } from './account/routes.ts';
import { ACTIVITY_ROUTES } from './activity/routes.ts';
import { ADMIN_ROUTES } from './admin/routes.ts';
import { API_KEY_ROUTES } from './apiKeys/routes.ts';
import { HOME_ROUTES } from './home/routes.ts';
import type { Route } from './kit/route.ts';
import { ONBOARDING_ROUTES } from './onboarding/routes.ts';
import { ORGANIZATION_ROUTES } from './organizations/routes.ts';
import { PROPERTY_ROUTES } from './properties/routes.ts';
import { RULE_ROUTES } from './rules/routes.ts';

/** Every page and every form of the portal. */
export const PORTAL_ROUTES: readonly Route[] = [
  ...ONBOARDING_ROUTES,
  ...ACCOUNT_ROUTES,
  ...HOME_ROUTES,
  ...ORGANIZATION_ROUTES,
  ...PROPERTY_ROUTES,
  ...RULE_ROUTES,
  ...API_KEY_ROUTES,
  ...ACTIVITY_ROUTES,
  ...ADMIN_ROUTES,
];
