import type { Property } from '../../../model/property.ts';
import type { PropertyChange, PropertyCreation } from '../../../model/task.ts';
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Form, SubmitButton } from '../components/form.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { DomainWarning, type PropertyRejection, rejectionOf, skipsCheckOf } from './domainWarning.tsx';
import { PropertyFields } from './propertyForm.tsx';
import { readPropertyForm, typedIn, typedOf } from './propertyFormData.ts';
import { propertyPage } from './propertyPage.tsx';
import { StateCard } from './propertyState.tsx';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** Changes the settings that differ. */
export async function changePropertySettings(visit: PropertyVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed, visit.property.isEnabled);
  if ('errors' in read) return showPropertySettings(visit, deps, typed, read);
  const path = `${visit.propertyPath}/settings`;
  const change = differenceOf(visit.property, read.property);
  if (Object.keys(change).length === 0) return redirectWithNotice(deps, path, 'No setting was changed.');
  const items = [{ id: visit.property.id, change }];
  const skipsDnsCheck = skipsCheckOf(visit.form, read.property.domain);
  const order = { kind: 'update-properties', items, skipsDnsCheck } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') {
    const rejection = rejectionOf(ending.problem, read.property.domain, SAVE_ANYWAY);
    return showPropertySettings(visit, deps, typed, rejection);
  }
  return redirectWithNotice(deps, path, ending.kind === 'done' ? 'The settings were saved.' : STILL_WAITING);
}

/** The settings that differ. A change that another user makes to another setting in the meantime stays in effect. */
function differenceOf(property: Property, typed: PropertyCreation): PropertyChange {
  const changed = Object.entries(typed).filter(([key, value]) => property[key as keyof Property] !== value);
  return Object.fromEntries(changed);
}

const SAVE_ANYWAY = 'Save anyway';

export function showPropertySettings(
  visit: PropertyVisit,
  _: PortalDeps,
  typed = typedOf(visit.property),
  rejection: PropertyRejection = { errors: [] },
) {
  const { property, propertyPath } = visit;
  const { errors } = rejection;
  const content = (
    <>
      <Form visit={visit} action={`${propertyPath}/settings`}>
        <PropertyFields typed={typed} errors={errors} />
        <SubmitButton>Save settings</SubmitButton>
        <DomainWarning rejection={rejection} button={SAVE_ANYWAY} />
      </Form>
      <Card title="Sitekey">
        <p>The sitekey is public, because your pages contain it. It never changes.</p>
        <Copyable id="sitekey" text={property.sitekey} label="Copy" />
      </Card>
      <StateCard visit={visit} />
      <Card title="Delete">
        <p>If you delete the property, its widget and its verifications stop immediately.</p>
        <p>
          <a href={`${propertyPath}/delete`}>Delete property</a>
        </p>
      </Card>
    </>
  );
  return propertyPage(visit, '/settings', { content, head: <PropertyHead />, errors });
}
