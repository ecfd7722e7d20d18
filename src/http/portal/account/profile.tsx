import { Card } from '../components/card.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';

const PATH = '/portal/settings/profile';

/** Changes the name. */
export async function changeProfile(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.authentication.rename(visit.actor, name);
  if (renamed.ok) return redirectWithNotice(deps, PATH, t('account.profile.saved'));
  return showProfile(visit, deps, name, [fieldErrorOf(renamed.problem)]);
}

export function showProfile(
  visit: SignedInVisit,
  _: PortalDeps,
  name = visit.signedIn.account.name,
  errors: FieldErrors = [],
) {
  const { email, isAdmin } = visit.signedIn.account;
  const content = (
    <>
      <Card title={t('account.profile.details')}>
        <DescriptionList
          items={[
            [t('account.profile.email'), email],
            [t('account.profile.role'), t(`account.profile.roles.${isAdmin ? 'administrator' : 'user'}`)],
          ]}
        />
      </Card>
      <Card title={t('account.profile.name')}>
        <Form visit={visit} action={PATH} button={t('account.profile.save')}>
          <Field
            name="name"
            label={t('account.profile.name')}
            value={name}
            help={t('account.profile.nameHelp')}
            autocomplete="name"
            errors={errors}
          />
        </Form>
      </Card>
    </>
  );
  return page(visit, { title: t('account.profile.title'), content, errors });
}
