import type { Problem } from '../../../model/problems.ts';
import type { FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { UserName } from '../components/userName.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { rich } from '../i18n/rich.tsx';
import { hasText, t } from '../i18n/t.ts';
import type { MemberVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

/** Explains what a transfer to the member changes. */
export function showTransfer(visit: MemberVisit, _: PortalDeps, errors: FieldErrors = []) {
  const content = (
    <Form
      visit={visit}
      action={`${visit.memberPath}/transfer`}
      button={t('organizations.transfer.button')}
      tone="danger"
      cancelPath={`${visit.organizationPath}/members`}
    >
      <p>
        {rich('organizations.transfer.question', {
          organization: <bdi>{visit.organization.name}</bdi>,
          user: <UserName user={visit.member} />,
        })}
      </p>
      <ul>
        <li>{t('organizations.transfer.consequences.owner')}</li>
        <li>{t('organizations.transfer.consequences.member')}</li>
        <li>{t('organizations.transfer.consequences.plan')}</li>
        <li>{t('organizations.transfer.consequences.rest')}</li>
      </ul>
    </Form>
  );
  return organizationPage(visit, '/members', { title: t('organizations.transfer.title'), content, errors });
}

export async function transferOrganization(visit: MemberVisit, deps: PortalDeps) {
  const { organization, member, organizationPath } = visit;
  const transferred = await deps.members.transfer(visit.actor, organization.id, member.accountId);
  if (!transferred.ok) {
    const { problem } = transferred;
    return isOfNewOwner(problem)
      ? showTransfer(visit, deps, [{ text: t(`organizations.transfer.problems.${problem}`) }])
      : accessLost(visit, problem);
  }
  const notice = t('organizations.transfer.done', { name: member.name });
  return redirectWithNotice(deps, `${organizationPath}/members`, notice);
}

/** Whether a problem is about the new owner. Its sentence here addresses the current owner, unlike the sentence of the API. */
function isOfNewOwner(problem: Problem): problem is keyof Catalog['organizations']['transfer']['problems'] {
  return hasText(`organizations.transfer.problems.${problem}`);
}
