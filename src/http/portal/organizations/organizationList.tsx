import type { OrganizationOverview } from '../../../model/organization.ts';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { type Item, ItemList } from '../components/itemList.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPath } from './organizationLabel.ts';

/** Redirects to the list, for browsers that load the URL of the form again after a rejected form. */
export function redirectToHome() {
  return redirectTo('/portal');
}

export async function createOrganization(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const created = await deps.organizations.create(visit.actor, { name, ownerId: visit.actor.user });
  if (!created.ok) return showHome(visit, deps, name, [fieldErrorOf(created.problem)]);
  const path = organizationPath(deps, created.value.id);
  return redirectWithNotice(deps, path, `The organization “${created.value.name}” was created.`);
}

export async function showHome(
  visit: SignedInVisit,
  deps: PortalDeps,
  newName = '',
  errors: FieldErrors = [],
) {
  const own = await deps.organizations.overview(visit.actor);
  const hasNoProperty = own.length > 0 && own.every(({ properties }) => properties === 0);
  const content = (
    <>
      <Card title="Your organizations">
        <ItemList
          items={own.map((one) => itemOf(one, organizationPath(deps, one.id)))}
          empty="You are not in an organization yet. Properties belong to organizations: create an organization, or ask a user to invite you to theirs."
        />
      </Card>
      {hasNoProperty && <FirstPropertyCard />}
      <Card title="Create organization">
        <Form visit={visit} action="/portal/orgs" button="Create organization">
          <Field
            name="name"
            label="Name"
            help="You will be the owner. Members can manage its properties."
            value={newName}
            autocomplete="organization"
            errors={errors}
          />
        </Form>
      </Card>
    </>
  );
  return page(visit, { title: 'Organizations', content, errors });
}

function itemOf(organization: OrganizationOverview, path: string): Item {
  const { name, role, ownerEmail, properties, members } = organization;
  return {
    name: (
      <a href={path}>
        <bdi>{name}</bdi>
      </a>
    ),
    facts: [
      role === 'owner' ? 'Owner' : `Member; owned by ${ownerEmail}`,
      properties === 1 ? '1 property' : `${properties} properties`,
      members === 1 ? '1 member' : `${members} members`,
    ],
  };
}

/** The next step of a user whose organizations have no properties. */
function FirstPropertyCard() {
  return (
    <Card title="Next step">
      <p>
        Nothing is protected yet. Create a property, add two lines to your page, and send one request from
        your backend: this takes about five minutes.
      </p>
      <LinkButton path="/portal/first-property">Protect your first property</LinkButton>
    </Card>
  );
}
