import type { Outcome } from '../../lib/outcome.ts';
import type { Account } from '../../model/account.ts';
import { COMMAND_LINE } from '../../model/actor.ts';
import type { OrganizationId, OwnedOrganization } from '../../model/organization.ts';
import type { Problem } from '../../model/problems.ts';
import type { Services } from '../../server/services.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireOrganizationId, requireUser, withServices } from '../withServices.ts';
import { toOrganizationRow } from './organizationRow.ts';

/** `postern orgs add-member`. */
export const memberAdd: Command = createMemberCommand('orgs add-member', {
  summary: 'Adds a user to an organization. Safe to repeat.',
  change: ({ members }, id, account) => members.add(COMMAND_LINE, id, account),
});

/** `postern orgs remove-member`. */
export const memberRemove: Command = createMemberCommand('orgs remove-member', {
  summary: 'Removes a user from an organization.',
  change: ({ members }, id, account) => members.remove(COMMAND_LINE, id, account.id),
});

type MemberChange = {
  readonly summary: string;
  readonly change: (
    services: Services,
    id: OrganizationId,
    account: Account,
  ) => Promise<Outcome<OwnedOrganization, Problem>>;
};

function createMemberCommand(name: string, { summary, change }: MemberChange): Command {
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
        const organization = unwrap(await change(services, id, account));
        printRow(context, toOrganizationRow(services, organization, organization.ownerEmail));
      });
    },
  };
}
