import { CAPTCHA_OPERATIONS } from './captcha.ts';
import { ORGANIZATION_OPERATIONS } from './organizations.ts';
import { PROPERTY_OPERATIONS } from './properties.ts';
import { STATISTICS_OPERATIONS } from './statistics.ts';
import { SURROUNDING_OPERATIONS } from './surroundings.ts';

/** What the OpenAPI document says of each operation, by its id: the `detail` of its route. */
export const OPERATIONS = {
  ...ORGANIZATION_OPERATIONS,
  ...PROPERTY_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...CAPTCHA_OPERATIONS,
  ...SURROUNDING_OPERATIONS,
};
