import type { Organization } from '../../model/organization.ts';
import type { Services } from '../../server/services.ts';
import type { Row } from '../output.ts';

/** The fields that commands print for an organization. @param owner the email address of its owner */
export function toOrganizationRow({ ids }: Services, { id, name }: Organization, owner: string): Row {
  return { id: ids.seal('organization', id), name, owner };
}
