import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';
import { toUserRow } from './userRow.ts';

/** `postern users set-email`. */
export const userSetEmail: Command = {
  name: 'users set-email',
  usage: '--email E --new-email E',
  summary: 'Changes the email address with which a user signs in.',
  options: { email: { type: 'string' }, 'new-email': { type: 'string' } },
  async run(context) {
    const email = requireOption(context, 'email');
    const newEmail = requireOption(context, 'new-email');
    return withServices(context, async (services) => {
      const { id } = await requireUser(services, email);
      const account = unwrap(await services.users.setEmail(COMMAND_LINE, id, newEmail));
      printRow(context, toUserRow(services, account));
    });
  },
};
