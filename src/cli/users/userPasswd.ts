import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';
import { PASSWORD_OPTION, readPassword, requirePasswordInput } from './passwordInput.ts';
import { toUserRow } from './userRow.ts';

/** `postern users passwd`. */
export const userPasswd: Command = {
  name: 'users passwd',
  usage: '--email E [--password-stdin]',
  summary:
    'Sets a password, read from the terminal or from standard input, and ends all sessions of the user.',
  options: { email: { type: 'string' }, ...PASSWORD_OPTION },
  async run(context) {
    const email = requireOption(context, 'email');
    requirePasswordInput(context);
    return withServices(context, async (services) => {
      // Before the user has to type a password.
      await requireUser(services, email);
      const password = await readPassword(context);
      const account = unwrap(await services.users.setPassword(COMMAND_LINE, email, password));
      printRow(context, toUserRow(services, account));
    });
  },
};
