import { html } from '../../../lib/html.ts';
import { confirmByName, type Mistake } from '../components/parts.tsx';
import { hasTypedName } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { organizationTabs } from '../kit/place.tsx';
import { accessLost, redirectSaying } from '../kit/responses.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/route.ts';
import { countOf } from './organizationList.tsx';

/** `GET /portal/orgs/:org/delete`. */
export function showDeleteOrganization(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  return deletePage(visit, deps);
}

/** `POST /portal/orgs/:org/delete`. */
export async function deleteOrganization(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const { id, name } = visit.organization;
  if (!hasTypedName(visit.form, name))
    return deletePage(visit, deps, [mistakeOf('name-not-typed', 'typed_name')]);
  const caller = visit.actor;
  const removed = await deps.organizations.remove(caller, id);
  if (!removed.ok) return accessLost(visit, removed.problem);
  await deps.audit.recordAct(caller, { action: 'organization-deleted', organizationId: id, subject: name });
  return redirectSaying(deps, '/portal', `“${name}” was deleted, and its sites have stopped.`);
}

async function deletePage(
  visit: OrganizationVisit,
  { organizations }: PortalDeps,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const { id, name } = visit.organization;
  const own = await organizations.overviewFor(visit.actor);
  const { properties = 0 } = own.find((one) => one.id === id) ?? {};
  const stop =
    properties === 0
      ? 'It has no sites.'
      : `${properties === 1 ? 'Its site stops' : `Its ${countOf(properties, 'site')} stop`} at once: widgets get no more puzzles, and no solution is accepted.`;
  const content = html`${organizationTabs(visit, '/settings')}${confirmByName({
    visit,
    action: `${visit.organizationPath}/delete`,
    name,
    warning: `${stop} Members lose it, and API keys that reach it alone stop. This cannot be undone.`,
    button: 'Delete this organization',
    back: `${visit.organizationPath}/settings`,
    mistakes,
  })}`;
  return page(visit, { title: 'Delete this organization?', content, mistakes });
}
