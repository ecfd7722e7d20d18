import type { AuditAction } from '../../model/audit.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import {
  loadEmails,
  recordAudit,
  requireOrganizationId,
  requireUser,
  withServices,
} from '../withServices.ts';
import { toOrganizationRow } from './organizationRow.ts';

/** `postern orgs add-member`. */
export const memberAdd: Command = createMemberCommand('orgs add-member', {
  summary: 'Adds a user to an organization. Safe to repeat.',
  change: 'addMember',
  action: 'member-added',
});

/** `postern orgs remove-member`. */
export const memberRemove: Command = createMemberCommand('orgs remove-member', {
  summary: 'Removes a user from an organization.',
  change: 'removeMember',
  action: 'member-removed',
});

type MemberChange = {
  readonly summary: string;
  readonly change: 'addMember' | 'removeMember';
  readonly action: AuditAction;
};

function createMemberCommand(name: string, { summary, change, action }: MemberChange): Command {
  return {
    name,
    usage: '--org ORG_ID --user E',
    summary,
    options: { org: { type: 'string' }, user: { type: 'string' } },
    async run(context) {
      const org = requireOption(context, 'org');
      const user = requireOption(context, 'user');
      return withServices(context, async (services) => {
        const id = requireOrganizationId(services, org);
        const account = await requireUser(services, user);
        const organization = unwrap(await services.organizations[change](id, account));
        await recordAudit(services, action, account.email, id);
        const emailOf = await loadEmails(services);
        printRow(context, toOrganizationRow(services, organization, emailOf(organization.ownerId)));
      });
    },
  };
}
