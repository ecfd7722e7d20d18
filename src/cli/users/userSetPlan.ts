import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';
import { toUserRow } from './userRow.ts';

/** `postern users set-plan`. */
export const userSetPlan: Command = {
  name: 'users set-plan',
  usage: '--email E --plan NAME',
  summary: 'Changes the plan of a user.',
  options: { email: { type: 'string' }, plan: { type: 'string' } },
  async run(context) {
    const email = requireOption(context, 'email');
    const plan = requireOption(context, 'plan');
    return withServices(context, async (services) => {
      const { id } = await requireUser(services, email);
      const account = unwrap(await services.users.setPlan(COMMAND_LINE, id, plan));
      printRow(context, toUserRow(services, account));
    });
  },
};
