import { Card } from '../components/card.tsx';
import { DescriptionList } from '../components/descriptionList.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { UserName } from '../components/userName.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { FIELD_OF_PROBLEM, fieldErrorOf } from '../kit/messages.ts';
import { accessLost, notFound, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

export function showOrganizationSettings(visit: OrganizationVisit, deps: PortalDeps) {
  return visit.isOwner ? ownerPage(visit, visit.organization.name) : memberPage(visit, deps);
}

export async function renameOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.organizations.rename(visit.actor, visit.organization.id, name);
  if (renamed.ok) {
    return redirectWithNotice(deps, `${visit.organizationPath}/settings`, 'The organization was renamed.');
  }
  return FIELD_OF_PROBLEM[renamed.problem] === undefined
    ? accessLost(visit, renamed.problem)
    : ownerPage(visit, name, [fieldErrorOf(renamed.problem)]);
}

function ownerPage(visit: OrganizationVisit, typed: string, errors: FieldErrors = []) {
  const { organizationPath: path } = visit;
  const content = (
    <>
      <Card title="Name">
        <Form visit={visit} action={`${path}/settings`} button="Rename organization">
          <Field name="name" label="Name" value={typed} autocomplete="organization" errors={errors} />
        </Form>
      </Card>
      <Card title="Ownership">
        <p>
          You own this organization. To transfer it, choose “Make owner” for another member in the{' '}
          <a href={`${path}/members`}>list of members</a>. You remain a member, and can then leave.
        </p>
      </Card>
      <Card title="Delete">
        <p>The organization and its properties are deleted, and the properties stop immediately.</p>
        <LinkButton path={`${path}/delete`} tone="danger">
          Delete organization
        </LinkButton>
      </Card>
    </>
  );
  return organizationPage(visit, '/settings', { title: 'Settings', content, errors });
}

async function memberPage(visit: OrganizationVisit, deps: PortalDeps) {
  const { organization, organizationPath: path } = visit;
  const members = await deps.members.list(visit.actor, organization.id);
  if (!members.ok) return notFound(visit);
  const owner = members.value.find(({ role }) => role === 'owner');
  const own = members.value.find(({ accountId }) => accountId === visit.signedIn.account.id);
  const role = (
    <>
      Member
      {own !== undefined && (
        <>
          , since <Moment instant={own.since} />
        </>
      )}
    </>
  );
  const content = (
    <>
      <Card title="Details">
        <DescriptionList
          items={[
            ['Owner', owner !== undefined && <UserName user={owner} />],
            ['Your role', role],
          ]}
        />
        <p>Only the owner can rename the organization, invite members, and delete it.</p>
      </Card>
      <Card title="Leave">
        <p>You and your API keys lose access to the properties of the organization.</p>
        <LinkButton path={`${path}/leave`} tone="danger">
          Leave organization
        </LinkButton>
      </Card>
    </>
  );
  return organizationPage(visit, '/settings', { title: 'Settings', content });
}
