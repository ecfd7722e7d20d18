import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { textOption, unwrap } from '../options.ts';
import { printRows } from '../output.ts';
import { requireOrganizationId, withServices } from '../withServices.ts';
import { toPropertyRow } from './propertyRow.ts';

/** `postern properties list`. */
export const propertyList: Command = {
  name: 'properties list',
  usage: '[--org ORG_ID]',
  summary: 'Lists all properties, or those of one organization.',
  options: { org: { type: 'string' } },
  async run(context) {
    const org = textOption(context, 'org');
    return withServices(context, async (services) => {
      const id = org === undefined ? undefined : requireOrganizationId(services, org);
      if (id !== undefined) unwrap(await services.organizations.byId(COMMAND_LINE, id));
      const properties = await services.properties.list(COMMAND_LINE, id);
      const rows = properties.map((property) => toPropertyRow(services, property));
      printRows(context, rows, ['id', 'name', 'domain', 'sitekey', 'org_id', 'enabled']);
    });
  },
};
