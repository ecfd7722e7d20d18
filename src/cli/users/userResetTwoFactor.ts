import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';
import { toUserRow } from './userRow.ts';

/** `postern users reset-2fa`. */
export const userResetTwoFactor: Command = {
  name: 'users reset-2fa',
  usage: '--email E',
  summary: 'Turns off two-factor authentication for a user, and ends all sessions of the user.',
  options: { email: { type: 'string' } },
  async run(context) {
    const email = requireOption(context, 'email');
    return withServices(context, async (services) => {
      const account = await requireUser(services, email);
      unwrap(await services.authentication.twoFactor.reset(COMMAND_LINE, account));
      printRow(context, toUserRow(services, account));
    });
  },
};
