import type { Plan } from '../model/plan.ts';
import { type Command, granted, requireCount, requireOperand, requireOption } from './command.ts';
import { type Row, showRow, showRows } from './output.ts';
import { accountRowOf } from './users.ts';
import { note, withServices } from './withServices.ts';

/** The quotas a plan may have. */
const RANGE = { min: 0, max: 1_000_000_000 } as const;

/** `postern plans list`. */
export const listPlans: Command = {
  name: 'plans list',
  usage: '',
  summary: 'Shows how much the users of each plan may have.',
  options: {},
  async run(context) {
    return withServices(context, async (services) => {
      const plans = await services.plans.list();
      showRows(context, plans.map(rowOf), ['name', 'orgs', 'properties']);
    });
  },
};

/** `postern plans set`. */
export const setPlan: Command = {
  name: 'plans set',
  usage: 'NAME --orgs N --properties N',
  summary: 'Makes a plan, or gives it other quotas; they hold at once, and what is there stays.',
  options: { orgs: { type: 'string' }, properties: { type: 'string' } },
  operands: 1,
  async run(context) {
    const name = requireOperand(context, 'NAME');
    const organizations = requireCount(context, 'orgs', RANGE);
    const properties = requireCount(context, 'properties', RANGE);
    return withServices(context, async (services) => {
      const plan = granted(await services.plans.set({ name, organizations, properties }));
      await note(services, 'plan-set', `${name}: ${organizations} organizations, ${properties} properties`);
      showRow(context, rowOf(plan));
    });
  },
};

/** `postern users set-plan`. */
export const chooseUserPlan: Command = {
  name: 'users set-plan',
  usage: '--email E --plan NAME',
  summary: 'Puts a user on another plan.',
  options: { email: { type: 'string' }, plan: { type: 'string' } },
  async run(context) {
    const email = requireOption(context, 'email');
    const plan = requireOption(context, 'plan');
    return withServices(context, async (services) => {
      const account = granted(await services.plans.choose(email, plan));
      await note(services, 'user-plan-set', `${account.email}: ${plan}`);
      showRow(context, accountRowOf(services, account));
    });
  },
};

function rowOf({ name, organizations, properties }: Plan): Row {
  return { name, orgs: organizations, properties };
}
