import { Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPath } from './organizationLabel.ts';
import { ORGANIZATIONS_PATH } from './organizationList.tsx';

export async function createOrganization(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const created = await deps.organizations.create(visit.actor, { name, ownerId: visit.actor.user });
  if (!created.ok) return showNewOrganization(visit, deps, name, [fieldErrorOf(created.problem)]);
  const notice = t('organizations.create.done', { name: created.value.name });
  return redirectWithNotice(deps, organizationPath(deps, created.value.id), notice);
}

export function showNewOrganization(
  visit: SignedInVisit,
  _: PortalDeps,
  typed = '',
  errors: FieldErrors = [],
) {
  const content = (
    <Form
      visit={visit}
      action={ORGANIZATIONS_PATH}
      button={t('organizations.create.button')}
      cancelPath={ORGANIZATIONS_PATH}
    >
      <p>{t('organizations.create.explanation')}</p>
      <Field
        name="name"
        label={t('organizations.name')}
        help={t('organizations.create.nameHelp')}
        value={typed}
        autocomplete="organization"
        errors={errors}
      />
    </Form>
  );
  return page(visit, {
    title: t('organizations.create.button'),
    breadcrumbs: [[ORGANIZATIONS_PATH, t('organizations.list.title')]],
    content,
    errors,
  });
}
