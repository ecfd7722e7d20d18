import type { StoredAuditEntry } from '../../../model/audit.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import { t } from '../i18n/t.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { organizationLabel } from '../organizations/organizationLabel.ts';

export type NameOf = (id: OrganizationId | undefined) => string;

/** Looks up the current names of the organizations in entries, each once. Inaccessible organizations have no name. */
export function createNames(visit: SignedInVisit, { organizations }: PortalDeps) {
  const names = new Map<OrganizationId, string>();
  return async (entries: readonly StoredAuditEntry[]): Promise<NameOf> => {
    for (const { organizationId: id } of entries) {
      if (id === undefined || names.has(id)) continue;
      const found = await organizations.byId(visit.actor, id);
      names.set(id, found.ok ? organizationLabel(visit, found.value) : t('activity.audit.organizationGone'));
    }
    return (id) => (id === undefined ? '' : (names.get(id) ?? ''));
  };
}
