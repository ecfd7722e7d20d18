import { COMMAND_LINE } from '../../model/actor.ts';
import { PLAN_FIELDS } from '../../model/plan.ts';
import type { Command } from '../command.ts';
import { requireOperand, requireWholeNumber, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { toPlanRow } from './planRow.ts';

/** `postern plans set`. */
export const planSet: Command = {
  name: 'plans set',
  usage: 'NAME --orgs N --properties N',
  summary:
    'Creates a plan or changes its quotas. Changes take effect immediately and do not remove existing organizations or properties.',
  options: { orgs: { type: 'string' }, properties: { type: 'string' } },
  operands: 1,
  async run(context) {
    const name = requireOperand(context, 'NAME');
    const organizations = requireWholeNumber(context, 'orgs', PLAN_FIELDS.organizations);
    const properties = requireWholeNumber(context, 'properties', PLAN_FIELDS.properties);
    return withServices(context, async (services) => {
      const plan = unwrap(await services.plans.set(COMMAND_LINE, { name, organizations, properties }));
      printRow(context, toPlanRow(plan));
    });
  },
};
