import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';
import { toOrganizationRow } from './organizationRow.ts';

/** `postern orgs create`. */
export const organizationCreate: Command = {
  name: 'orgs create',
  usage: '--user E --name N',
  summary: 'Creates an organization that the user owns.',
  options: { user: { type: 'string' }, name: { type: 'string' } },
  async run(context) {
    const user = requireOption(context, 'user');
    const name = requireOption(context, 'name');
    return withServices(context, async (services) => {
      const owner = await requireUser(services, user);
      const organization = unwrap(
        await services.organizations.create(COMMAND_LINE, { name, ownerId: owner.id }),
      );
      printRow(context, toOrganizationRow(services, organization, owner.email));
    });
  },
};
