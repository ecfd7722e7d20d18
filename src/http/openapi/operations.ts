import { ORGANIZATION_OPERATIONS } from './organizations.ts';
import { PROPERTY_OPERATIONS } from './properties.ts';

/** What the OpenAPI document says of each operation, by its id: the `detail` of its route. */
export const OPERATIONS = {
  ...ORGANIZATION_OPERATIONS,
  ...PROPERTY_OPERATIONS,
};
