import type { RevealedInvitation } from '../../platform/organizations/invitations.ts';
import { EmailField } from '../components/accountFields.tsx';
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import { organizationPage } from '../kit/frames.tsx';
import type { InvitationVisit, OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { errorOf, FIELD_OF_PROBLEM, fieldErrorOf } from '../kit/messages.ts';
import { linkTo } from '../kit/paths.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';

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
      button={t('organizations.invitations.create')}
      cancelPath={`${organizationPath}/members`}
    >
      <p>{t('organizations.invitations.explanation')}</p>
      <EmailField
        value={email}
        autocomplete="off"
        help={t('organizations.invitations.emailHelp')}
        errors={errors}
      />
    </Form>
  );
  return organizationPage(visit, '/members', {
    title: t('organizations.invitations.invite'),
    content,
    errors,
  });
}

function linkPage(
  visit: OrganizationVisit,
  { baseUrl }: PortalDeps,
  { invitation, token }: RevealedInvitation,
) {
  const content = (
    <Card title={t('organizations.invitations.linkHeading')}>
      <p>
        {rich('organizations.invitations.linkText', {
          email: <strong>{invitation.email}</strong>,
          time: <Moment instant={invitation.expiresAt} />,
        })}
      </p>
      <Copyable
        id="link"
        text={linkTo(baseUrl, 'invitation', token)}
        label={t('organizations.invitations.copyLink')}
      />
      <p>{t('organizations.invitations.linkSecret')}</p>
      <LinkButton path={`${visit.organizationPath}/members`}>
        {t('organizations.invitations.sent')}
      </LinkButton>
    </Card>
  );
  return organizationPage(visit, '/members', { title: t('organizations.invitations.invite'), content });
}

/** The link of the invitation stops working. */
export async function withdrawInvitation(visit: InvitationVisit, deps: PortalDeps) {
  const withdrawn = await deps.invitations.revoke(visit.actor, visit.organization.id, visit.invitationId);
  if (!withdrawn.ok) return accessLost(visit, withdrawn.problem);
  const notice = t('organizations.invitations.withdrawn', { email: withdrawn.value.email });
  return redirectWithNotice(deps, `${visit.organizationPath}/members`, notice);
}
