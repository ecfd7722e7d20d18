import type { Property } from '../../../model/property.ts';
import type { PropertyChange, PropertyCreation } from '../../../model/task.ts';
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { FieldError } from '../components/field.tsx';
import { Form, SubmitButton } from '../components/form.tsx';
import { PropertyNavigation } from '../components/navigation.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import type { PropertyVisit } from '../kit/visit.ts';
import { DomainWarning, errorsOf, skipsCheckOf, type Unresolved, unresolvedBy } from './domainWarning.tsx';
import { PropertyFields, readPropertyForm, type TypedProperty, typedIn, typedOf } from './propertyForm.tsx';
import { StateCard } from './propertyState.tsx';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `GET /portal/orgs/:org/properties/:property/settings`. */
export function showPropertySettings(visit: PropertyVisit): Response {
  return settingsPage(visit, typedOf(visit.property));
}

/** `POST /portal/orgs/:org/properties/:property/settings`: changes the settings that differ. */
export async function changePropertySettings(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed, visit.property.isEnabled);
  if ('errors' in read) return settingsPage(visit, typed, read.errors);
  const path = `${visit.propertyPath}/settings`;
  const change = differenceOf(visit.property, read.property);
  if (Object.keys(change).length === 0) return redirectWithNotice(deps, path, 'No setting was changed.');
  const items = [{ id: visit.property.id, change }];
  const skipsDnsCheck = skipsCheckOf(visit.form, read.property.domain);
  const order = { kind: 'update-properties', items, skipsDnsCheck } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') {
    const unresolved = unresolvedBy(ending.problem, read.property.domain);
    const errors = errorsOf(ending.problem, unresolved, ANYWAY);
    return settingsPage(visit, typed, errors, unresolved);
  }
  return redirectWithNotice(deps, path, ending.kind === 'done' ? 'The settings were saved.' : STILL_WAITING);
}

/** The settings that differ. A change that another user makes to another setting in the meantime stays in effect. */
function differenceOf(property: Property, typed: PropertyCreation): PropertyChange {
  const changed = Object.entries(typed).filter(([key, value]) => property[key as keyof Property] !== value);
  return Object.fromEntries(changed);
}

const ANYWAY = 'Save anyway';

function settingsPage(
  visit: PropertyVisit,
  typed: TypedProperty,
  errors: readonly FieldError[] = [],
  unresolved?: Unresolved,
): Response {
  const { property, propertyPath } = visit;
  const content = (
    <>
      <PropertyNavigation visit={visit} current="/settings" />
      <Form visit={visit} action={`${propertyPath}/settings`}>
        <PropertyFields typed={typed} errors={errors} />
        <SubmitButton>Save settings</SubmitButton>
        {unresolved !== undefined && <DomainWarning unresolved={unresolved} button={ANYWAY} />}
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
  return page(visit, { title: property.name, content, head: <PropertyHead />, errors });
}
