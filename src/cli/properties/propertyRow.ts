import { toNamedValues } from '../../model/field.ts';
import type { Property } from '../../model/property.ts';
import { SETTING_FIELDS } from '../../model/propertyFields.ts';
import type { Services } from '../../server/services.ts';
import type { Row } from '../output.ts';

/** The fields that commands print for a property in a list. */
export function toPropertyRow({ ids }: Services, property: Property): Row {
  const { id, name, domain, sitekey, organizationId, isEnabled } = property;
  return {
    id: ids.seal('property', id),
    name,
    domain,
    sitekey,
    org_id: ids.seal('organization', organizationId),
    enabled: isEnabled,
  };
}

/** All fields of a property, with the names of the Platform API. */
export function toFullPropertyRow(services: Services, property: Property): Row {
  return {
    ...toPropertyRow(services, property),
    ...toNamedValues(SETTING_FIELDS, property),
  };
}
