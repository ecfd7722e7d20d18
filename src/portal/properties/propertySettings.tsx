import type { Property } from '../../model/property.ts';
import type { PropertyChange, PropertyCreation } from '../../model/task.ts';
import { Copyable } from '../components/copyable.tsx';
import { type FieldErrors, formState } from '../components/field.tsx';
import {
  ButtonLink,
  ConfirmButton,
  ConfirmByName,
  Form,
  LinkButton,
  SubmitButton,
} from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import { errorOf, fieldErrorOf, fieldOf, hasTypedName, sentenceFor } from '../kit/forms.ts';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { errorPage, propertyPage, redirectWithNotice } from '../kit/pages.tsx';
import { PropertyFields } from './propertyForm.tsx';
import { readPropertyForm, typedIn, typedOf } from './propertyFormData.ts';
import {
  changeProperty,
  DomainWarning,
  noticeFor,
  type PropertyForm,
  rejectedForm,
  skipsCheckOf,
} from './propertyTask.tsx';
import { LevelAdviceText } from './solveCost.tsx';

/** Changes the settings that differ. */
export async function changePropertySettings(visit: PropertyVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed, visit.property.isEnabled);
  if ('errors' in read) return showPropertySettings(visit, deps, formState(typed, read.errors));
  const path = `${visit.propertyPath}/settings`;
  const change = differenceOf(visit.property, read.property);
  if (Object.keys(change).length === 0)
    return redirectWithNotice(deps, path, noticeFor(typed, t('properties.settings.unchanged')));
  const items = [{ id: visit.property.id, change }];
  const skipsDnsCheck = skipsCheckOf(visit.form, read.property.domain);
  const order = { kind: 'update-properties', items, skipsDnsCheck } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') {
    const button = t('properties.settings.saveAnyway');
    return showPropertySettings(
      visit,
      deps,
      rejectedForm(typed, ending.problem, read.property.domain, button),
    );
  }
  const notice = ending.kind === 'done' ? t('properties.settings.saved') : t('properties.waiting');
  return redirectWithNotice(deps, path, noticeFor(typed, notice));
}

/** The settings that differ. A change that another user makes to another setting in the meantime stays in effect. */
function differenceOf(property: Property, typed: PropertyCreation): PropertyChange {
  const changed = Object.entries(typed).filter(([key, value]) => property[key as keyof Property] !== value);
  return Object.fromEntries(changed);
}

export async function showPropertySettings(
  visit: PropertyVisit,
  deps: PortalDeps,
  form: PropertyForm = formState(typedOf(visit.property)),
) {
  const { property, propertyPath } = visit;
  const { errors } = form;
  const advice = <LevelAdviceText advice={await deps.statistics.adviceFor(property)} />;
  const content = (
    <>
      <Form visit={visit} action={`${propertyPath}/settings`}>
        <PropertyFields form={form} advice={advice} />
        <SubmitButton>{t('properties.settings.save')}</SubmitButton>
        <DomainWarning form={form} button={t('properties.settings.saveAnyway')} />
      </Form>
      <Card title={t('properties.settings.sitekey')}>
        <p>{t('properties.settings.sitekeyHelp')}</p>
        <Copyable id="sitekey" text={property.sitekey} label={t('properties.settings.copySitekey')} />
      </Card>
      {dangerZone(visit)}
    </>
  );
  const actions = (
    <LinkButton path={`${propertyPath}/duplicate`} text={t('properties.duplicate.link')} tone="quiet" />
  );
  return propertyPage(visit, '/settings', { content, actions, head: <Head of="propertyForm" />, errors });
}

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
  return redirectWithNotice(deps, path, ending.kind === 'done' ? done : t('properties.waiting'));
}

function dangerZone(visit: PropertyVisit) {
  const { propertyPath } = visit;
  return (
    <section class="card danger-zone" aria-labelledby="danger-zone">
      <h2 id="danger-zone">{t('properties.dangerZone')}</h2>
      <ul>
        <li id="state">{stateRow(visit)}</li>
        <li>
          <div>
            <h3>{t('properties.delete.heading')}</h3>
            <p>{t('properties.delete.help')}</p>
          </div>
          <ButtonLink path={`${propertyPath}/delete`} text={t('properties.delete.button')} tone="danger" />
        </li>
      </ul>
    </section>
  );
}

/** The state of the property, and the button that changes it. Only disabling asks for a confirmation. */
function stateRow(visit: PropertyVisit) {
  const { property, propertyPath } = visit;
  const { isEnabled, name, domain } = property;
  const action = `${propertyPath}/state`;
  return (
    <>
      <div>
        <h3>{t(isEnabled ? 'properties.state.isEnabled' : 'properties.state.isDisabled')}</h3>
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

export async function deleteProperty(visit: PropertyVisit, deps: PortalDeps) {
  const { property, organizationPath } = visit;
  const { name } = property;
  if (!hasTypedName(visit.form, name))
    return showPropertyDeletion(visit, deps, [fieldErrorOf('name-not-typed')]);
  const order = { kind: 'delete-properties', items: [property.id] } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') return showPropertyDeletion(visit, deps, [errorOf(ending.problem)]);
  const notice = ending.kind === 'done' ? t('properties.delete.done', { name }) : t('properties.waiting');
  return redirectWithNotice(deps, organizationPath, notice);
}

export function showPropertyDeletion(visit: PropertyVisit, _: PortalDeps, errors: FieldErrors = []) {
  const { property, propertyPath } = visit;
  const content = (
    <ConfirmByName
      visit={visit}
      action={`${propertyPath}/delete`}
      name={property.name}
      warning={t('properties.delete.warning', { domain: property.domain })}
      button={t('properties.delete.button')}
      cancelPath={`${propertyPath}/settings`}
      errors={errors}
    />
  );
  return propertyPage(visit, '/settings', { title: t('properties.delete.title'), content, errors });
}
