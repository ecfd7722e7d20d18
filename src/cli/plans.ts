import { COMMAND_LINE } from '../model/actor.ts';
import { PLAN_FIELDS, type Plan } from '../model/plan.ts';
import type { Command } from './command.ts';
import { requireOperand, requireWholeNumber, unwrap } from './options.ts';
import { printRow, printRows, type Row } from './output.ts';
import { withServices } from './withServices.ts';

const planList: Command = {
  name: 'plans list',
  usage: '',
  summary: 'Lists the plans and their quotas.',
  example: 'postern plans list',
  async run(context) {
    return withServices(context, async (services) => {
      const plans = await services.plans.list(COMMAND_LINE);
      printRows(context, plans.map(toPlanRow), ['name', 'orgs', 'properties']);
    });
  },
};

const planSet: Command = {
  name: 'plans set',
  usage: 'NAME --orgs N --properties N',
  summary:
    'Creates a plan or changes its quotas. Changes take effect immediately and do not remove existing organizations or properties.',
  options: {
    orgs: 'Number of organizations that a user can own.',
    properties: 'Number of properties that these organizations can have in total.',
  },
  example: 'postern plans set small --orgs 2 --properties 20',
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

/** The fields that commands print for a plan. */
function toPlanRow({ name, organizations, properties }: Plan): Row {
  return { name, orgs: organizations, properties };
}

/** The commands for plans, in the order of `postern help`. */
export const planCommands: readonly Command[] = [planList, planSet];
