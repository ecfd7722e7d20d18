import type { RevealedInvitation } from '../../../platform/organizations/invitations.ts';
import { EmailField } from '../components/accountFields.tsx';
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { errorOf, FIELD_OF_PROBLEM, fieldErrorOf } from '../kit/messages.ts';
import { accessLost } from '../kit/responses.tsx';
import { linkTo } from '../kit/secretLink.tsx';
import { organizationPage } from './organizationPage.tsx';

/** Creates an invitation and shows its link once. */
export async function createInvitation(visit: OrganizationVisit, deps: PortalDeps) {
  const email = fieldOf(visit.form, 'email');
  if (!(await deps.oneTimeTokens.use(visit)))
    return showInvitationForm(visit, deps, email, [errorOf('form-sent-before')]);
  const invited = await deps.invitations.invite(visit.actor, visit.organization.id, email);
  if (invited.ok) return linkPage(visit, deps, invited.value);
  return FIELD_OF_PROBLEM[invited.problem] === undefined
    ? accessLost(visit, invited.problem)
    : showInvitationForm(visit, deps, email, [fieldErrorOf(invited.problem)]);
}

const TITLE = 'Invite member';

export function showInvitationForm(
  visit: OrganizationVisit,
  { oneTimeTokens }: PortalDeps,
  email = '',
  errors: FieldErrors = [],
) {
  const { organizationPath } = visit;
  const content = (
    <Form
      visit={visit}
      action={`${organizationPath}/members/invite`}
      oneTimeToken={oneTimeTokens.issue()}
      button="Create invitation"
      cancelPath={`${organizationPath}/members`}
    >
      <p>
        A member can see the properties of this organization and their statistics, and can create, change, and
        delete properties.
      </p>
      <EmailField
        value={email}
        autocomplete="off"
        help="Only a user with this address can accept the invitation. If you invite the address again, the previous link stops working."
        errors={errors}
      />
    </Form>
  );
  return organizationPage(visit, '/members', { title: TITLE, content, errors });
}

function linkPage(
  visit: OrganizationVisit,
  { baseUrl }: PortalDeps,
  { invitation, token }: RevealedInvitation,
) {
  const content = (
    <Card title="Invitation link">
      <p>
        Send this link to <strong>{invitation.email}</strong> yourself, because Postern sends no email. The
        link is shown only once, works once, and expires <Moment instant={invitation.expiresAt} />.
      </p>
      <Copyable id="link" text={linkTo(baseUrl, 'invitation', token)} label="Copy link" />
      <p>The link is secret: do not send it to other people.</p>
      <LinkButton path={`${visit.organizationPath}/members`}>I have sent it</LinkButton>
    </Card>
  );
  return organizationPage(visit, '/members', { title: TITLE, content });
}
