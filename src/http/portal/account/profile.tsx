import { Card } from '../components/card.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { Field, type FieldError } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import type { SignedInVisit } from '../kit/visit.ts';

const PATH = '/portal/settings/profile';

/** `GET /portal/settings/profile`. */
export function showProfile(visit: SignedInVisit): Response {
  return profilePage(visit, visit.signedIn.account.name);
}

/** `POST /portal/settings/profile`: changes the name. */
export async function changeProfile(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.authentication.rename(visit.actor, name);
  if (renamed.ok) return redirectWithNotice(deps, PATH, 'Your name was changed.');
  return profilePage(visit, name, [fieldErrorOf(renamed.problem)]);
}

function profilePage(visit: SignedInVisit, name: string, errors: readonly FieldError[] = []): Response {
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
