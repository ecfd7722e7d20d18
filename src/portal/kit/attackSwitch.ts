import { t } from '../i18n/t.tsx';
import type { Handler, OrganizationVisit, PortalDeps, PropertyVisit } from './handler.ts';
import { accessLost, notFound, redirectWithNotice } from './pages.tsx';

/** `POST …/attack/on` and `POST …/attack/off` of a property. */
export function switchPropertyAttack(isOn: boolean): Handler<PropertyVisit> {
  return async (visit, deps) => {
    const changed = await deps.attackMode.ofProperty(visit.actor, visit.property.id, isOn);
    return changed.ok ? switched(deps, visit.propertyPath, isOn) : notFound(visit);
  };
}

/** The same for an organization. */
export function switchOrganizationAttack(isOn: boolean): Handler<OrganizationVisit> {
  return async (visit, deps) => {
    const changed = await deps.attackMode.ofOrganization(visit.actor, visit.organization.id, isOn);
    return changed.ok ? switched(deps, visit.organizationPath, isOn) : accessLost(visit, changed.problem);
  };
}

function switched(deps: PortalDeps, path: string, isOn: boolean) {
  return redirectWithNotice(deps, path, t(isOn ? 'kit.attackMode.started' : 'kit.attackMode.ended'));
}
