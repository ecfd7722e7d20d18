import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { textOption } from '../options.ts';
import { printRows } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';
import { toOrganizationRow } from './organizationRow.ts';

/** `postern orgs list`. */
export const organizationList: Command = {
  name: 'orgs list',
  usage: '[--user E]',
  summary: 'Lists all organizations, or those that a user owns or is a member of.',
  options: { user: { type: 'string' } },
  async run(context) {
    const user = textOption(context, 'user');
    return withServices(context, async (services) => {
      const account = user === undefined ? undefined : await requireUser(services, user);
      const organizations = await services.organizations.list(COMMAND_LINE, account);
      const rows = organizations.map((organization) =>
        toOrganizationRow(services, organization, organization.ownerEmail),
      );
      printRows(context, rows, ['id', 'name', 'owner']);
    });
  },
};
