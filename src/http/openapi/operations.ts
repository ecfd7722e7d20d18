import { API_KEY_OPERATIONS } from './apiKeys.ts';
import { CAPTCHA_OPERATIONS } from './captcha.ts';
import { ORGANIZATION_OPERATIONS } from './organizations.ts';
import { PROPERTY_OPERATIONS } from './properties.ts';
import { RULE_OPERATIONS } from './rules.ts';
import { SERVICE_OPERATIONS } from './service.ts';
import { STATISTICS_OPERATIONS } from './statistics.ts';

/** The operations of the document by their ids. Each is the `detail` of its route. */
export const OPERATIONS = {
  ...ORGANIZATION_OPERATIONS,
  ...PROPERTY_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...RULE_OPERATIONS,
  ...API_KEY_OPERATIONS,
  ...CAPTCHA_OPERATIONS,
  ...SERVICE_OPERATIONS,
};
