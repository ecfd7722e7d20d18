import { ConfirmButton } from '../components/confirm.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { sentenceFor } from '../kit/messages.ts';
import { errorPage, redirectWithNotice } from '../kit/responses.tsx';
import { changeProperty, stillWaiting } from './propertyTask.ts';

/** `POST /portal/orgs/:org/properties/:property/state`: `state` is `enabled` or `disabled`. */
export async function switchProperty(visit: PropertyVisit, deps: PortalDeps) {
  const state = fieldOf(visit.form, 'state');
  if (state !== 'enabled' && state !== 'disabled')
    return errorPage(visit, 422, t('properties.notAccepted'), sentenceFor('state-word'));
  const { property, propertyPath } = visit;
  const path = `${propertyPath}/settings`;
  const isEnabled = state === 'enabled';
  const done = t(isEnabled ? 'properties.state.nowEnabled' : 'properties.state.nowDisabled');
  if (property.isEnabled === isEnabled) return redirectWithNotice(deps, path, done);
  const items = [{ id: property.id, change: { isEnabled } }];
  const ending = await changeProperty(deps, visit.actor, { kind: 'update-properties', items });
  if (ending.kind === 'rejected')
    return errorPage(visit, 422, t('properties.notAccepted'), sentenceFor(ending.problem));
  return redirectWithNotice(deps, path, ending.kind === 'done' ? done : stillWaiting());
}

/** Disabling and deleting a property, apart from the other settings. */
export function DangerZone({ visit }: { readonly visit: PropertyVisit }) {
  const { propertyPath } = visit;
  return (
    <section class="card danger-zone" aria-labelledby="danger-zone">
      <h2 id="danger-zone">{t('properties.dangerZone')}</h2>
      <ul>
        <li id="state">
          <StateRow visit={visit} />
        </li>
        <li>
          <div>
            <h3>{t('properties.delete.heading')}</h3>
            <p>{t('properties.delete.help')}</p>
          </div>
          <a class="button danger" href={`${propertyPath}/delete`}>
            {t('properties.delete.button')}
          </a>
        </li>
      </ul>
    </section>
  );
}

/** The state of the property, with a switch. Only disabling asks for a confirmation. */
function StateRow({ visit }: { readonly visit: PropertyVisit }) {
  const { property, propertyPath } = visit;
  const { isEnabled, name, domain } = property;
  const action = `${propertyPath}/state`;
  return (
    <>
      <div>
        <h3>
          <span class={isEnabled ? 'switch on' : 'switch'} aria-hidden="true" />
          {t(isEnabled ? 'properties.state.isEnabled' : 'properties.state.isDisabled')}
        </h3>
        <p>{t(isEnabled ? 'properties.state.enabledHelp' : 'properties.state.disabledHelp')}</p>
      </div>
      {isEnabled ? (
        <ConfirmButton
          visit={visit}
          action={action}
          id="state"
          button={t('properties.state.disable')}
          title={t('properties.state.disableTitle', { name })}
          fields={<input type="hidden" name="state" value="disabled" />}
        >
          <p>{t('properties.state.consequence', { domain })}</p>
        </ConfirmButton>
      ) : (
        <Form visit={visit} action={action} button={t('properties.state.enable')}>
          <input type="hidden" name="state" value="enabled" />
        </Form>
      )}
    </>
  );
}
