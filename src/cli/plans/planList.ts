import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { printRows } from '../output.ts';
import { withServices } from '../withServices.ts';
import { toPlanRow } from './planRow.ts';

/** `postern plans list`. */
export const planList: Command = {
  name: 'plans list',
  usage: '',
  summary: 'Lists the plans and their quotas.',
  options: {},
  async run(context) {
    return withServices(context, async (services) => {
      const plans = await services.plans.list(COMMAND_LINE);
      printRows(context, plans.map(toPlanRow), ['name', 'orgs', 'properties']);
    });
  },
};
