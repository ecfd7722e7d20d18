import { Form } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { sentenceFor } from '../kit/messages.ts';
import { errorPage, redirectWithNotice } from '../kit/responses.tsx';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `POST /portal/orgs/:org/properties/:property/state`: `state` is `enabled` or `disabled`. */
export async function switchProperty(visit: PropertyVisit, deps: PortalDeps) {
  const state = fieldOf(visit.form, 'state');
  if (state !== 'enabled' && state !== 'disabled')
    return errorPage(visit, 422, 'Not accepted', sentenceFor('state-word'));
  const { property, propertyPath } = visit;
  const path = `${propertyPath}/settings`;
  const isEnabled = state === 'enabled';
  const done = `The property is ${state}.`;
  if (property.isEnabled === isEnabled) return redirectWithNotice(deps, path, done);
  const items = [{ id: property.id, change: { isEnabled } }];
  const ending = await changeProperty(deps, visit.actor, { kind: 'update-properties', items });
  if (ending.kind === 'rejected') return errorPage(visit, 422, 'Not accepted', sentenceFor(ending.problem));
  return redirectWithNotice(deps, path, ending.kind === 'done' ? done : STILL_WAITING);
}

export function StateCard({ visit }: { readonly visit: PropertyVisit }) {
  const { property, propertyPath } = visit;
  const { isEnabled } = property;
  return (
    <section class="card" id="state">
      <h2>State</h2>
      <p>
        <span class={isEnabled ? 'badge good' : 'badge bad'}>{isEnabled ? 'Enabled' : 'Disabled'}</span>
      </p>
      <p>
        A disabled property issues no puzzles, and its solutions are rejected. It keeps its settings, its
        sitekey, and its statistics.
      </p>
      <Form
        visit={visit}
        action={`${propertyPath}/state`}
        button={isEnabled ? 'Disable property' : 'Enable property'}
        tone={isEnabled ? 'danger' : 'main'}
      >
        <input type="hidden" name="state" value={isEnabled ? 'disabled' : 'enabled'} />
      </Form>
    </section>
  );
}
