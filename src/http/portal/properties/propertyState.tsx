import { type Html, html } from '../../../lib/html.ts';
import { form, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { sentenceFor } from '../kit/messages.ts';
import { redirectSaying, refused } from '../kit/responses.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/route.ts';
import { changeProperty, STILL_WAITING } from './propertyTask.ts';

/** `POST /portal/orgs/:org/properties/:property/state`: `state` is `enabled` or `disabled`. */
export async function switchProperty(visit: PropertyVisit, deps: PortalDeps): Promise<Response> {
  const state = fieldOf(visit.form, 'state');
  if (state !== 'enabled' && state !== 'disabled')
    return refused(visit, 422, 'Not accepted', sentenceFor('state-word'));
  const { property, propertyPath } = visit;
  const path = `${propertyPath}/settings`;
  const isEnabled = state === 'enabled';
  const done = `The property is ${state}.`;
  if (property.isEnabled === isEnabled) return redirectSaying(deps, path, done);
  const items = [{ id: property.id, change: { isEnabled } }];
  const ending = await changeProperty(deps, visit.actor, { kind: 'update-properties', items });
  if (ending.kind === 'refused') return refused(visit, 422, 'Not accepted', sentenceFor(ending.problem));
  return redirectSaying(deps, path, ending.kind === 'done' ? done : STILL_WAITING);
}

/** Whether a property is enabled, and the button that changes it. */
export function stateCard(visit: PropertyVisit): Html {
  const { property, propertyPath } = visit;
  const [badge, next, button] = property.isEnabled
    ? [html`<span class="badge good">Enabled</span>`, 'disabled', submit('Disable property', 'danger')]
    : [html`<span class="badge bad">Disabled</span>`, 'enabled', submit('Enable property')];
  const content = html`<input type="hidden" name="state" value="${next}">
${button}`;
  return html`<section class="card" id="state">
<h2>State</h2>
<p>${badge}</p>
<p>A disabled property issues no puzzles, and its solutions are rejected. It keeps its settings, its sitekey, and its statistics.</p>
${form({ visit, action: `${propertyPath}/state`, content })}
</section>
`;
}
