import { Card } from '../components/card.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';

const PATH = '/portal/settings/profile';

/** Changes the name. */
export async function changeProfile(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.authentication.rename(visit.actor, name);
  if (renamed.ok) return redirectWithNotice(deps, PATH, 'Your name was changed.');
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
      <Card title="Account">
        <DescriptionList
          items={[
            ['Email address', email],
            ['Role', isAdmin ? 'Administrator' : 'User'],
          ]}
        />
      </Card>
      <Card title="Name">
        <Form visit={visit} action={PATH} button="Save name">
          <Field
            name="name"
            label="Name"
            value={name}
            help="The other members of your organizations see this name."
            autocomplete="name"
            errors={errors}
          />
        </Form>
      </Card>
    </>
  );
  return page(visit, { title: 'Profile', content, errors });
}
