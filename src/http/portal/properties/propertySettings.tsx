import type { Property } from '../../../model/property.ts';
import type { PropertyChange, PropertyCreation } from '../../../model/task.ts';
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { PropertyFormHead } from '../kit/assets.tsx';
import type { PortalDeps, PropertyVisit } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import { DomainWarning, type PropertyRejection, rejectionOf, skipsCheckOf } from './domainWarning.tsx';
import { LevelAdviceText } from './levelAdvice.tsx';
import { PropertyFields } from './propertyForm.tsx';
import { readPropertyForm, type TypedProperty, typedIn, typedOf } from './propertyFormData.ts';
import { propertyPage } from './propertyPage.tsx';
import { DangerZone } from './propertyState.tsx';
import { changeProperty, stillWaiting } from './propertyTask.ts';

/** Changes the settings that differ. */
export async function changePropertySettings(visit: PropertyVisit, deps: PortalDeps) {
  const typed = typedIn(visit.form);
  const read = readPropertyForm(typed, visit.property.isEnabled);
  if ('errors' in read) return showPropertySettings(visit, deps, typed, read);
  const path = `${visit.propertyPath}/settings`;
  const change = differenceOf(visit.property, read.property);
  if (Object.keys(change).length === 0)
    return redirectWithNotice(deps, path, noticeFor(typed, t('properties.settings.unchanged')));
  const items = [{ id: visit.property.id, change }];
  const skipsDnsCheck = skipsCheckOf(visit.form, read.property.domain);
  const order = { kind: 'update-properties', items, skipsDnsCheck } as const;
  const ending = await changeProperty(deps, visit.actor, order);
  if (ending.kind === 'rejected') {
    const rejection = rejectionOf(ending.problem, read.property.domain, t('properties.settings.saveAnyway'));
    return showPropertySettings(visit, deps, typed, rejection);
  }
  const notice = ending.kind === 'done' ? t('properties.settings.saved') : stillWaiting();
  return redirectWithNotice(deps, path, noticeFor(typed, notice));
}

/** Adds that a URL was reduced to its host. */
export function noticeFor({ url }: TypedProperty, notice: string): string {
  return url === '' ? notice : `${notice} ${t('properties.form.reduced', { url: shortened(url) })}`;
}

/** Cookies have limited sizes. */
const NOTICE_URL_MAX = 200;

function shortened(url: string): string {
  return url.length <= NOTICE_URL_MAX ? url : `${url.slice(0, NOTICE_URL_MAX)}…`;
}

/** The settings that differ. A change that another user makes to another setting in the meantime stays in effect. */
function differenceOf(property: Property, typed: PropertyCreation): PropertyChange {
  const changed = Object.entries(typed).filter(([key, value]) => property[key as keyof Property] !== value);
  return Object.fromEntries(changed);
}

export async function showPropertySettings(
  visit: PropertyVisit,
  deps: PortalDeps,
  typed = typedOf(visit.property),
  rejection: PropertyRejection = { errors: [] },
) {
  const { property, propertyPath } = visit;
  const { errors } = rejection;
  const advice = <LevelAdviceText advice={await deps.statistics.adviceFor(property)} />;
  const content = (
    <>
      <Form visit={visit} action={`${propertyPath}/settings`}>
        <PropertyFields typed={typed} errors={errors} advice={advice} />
        <SubmitButton>{t('properties.settings.save')}</SubmitButton>
        <DomainWarning rejection={rejection} button={t('properties.settings.saveAnyway')} />
      </Form>
      <Card title={t('properties.settings.sitekey')}>
        <p>{t('properties.settings.sitekeyHelp')}</p>
        <Copyable id="sitekey" text={property.sitekey} label={t('properties.settings.copySitekey')} />
      </Card>
      <DangerZone visit={visit} />
    </>
  );
  const actions = (
    <LinkButton path={`${propertyPath}/duplicate`} tone="quiet">
      {t('properties.duplicate.link')}
    </LinkButton>
  );
  return propertyPage(visit, '/settings', { content, actions, head: <PropertyFormHead />, errors });
}
