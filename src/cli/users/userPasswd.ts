import { COMMAND_LINE } from '../../model/actor.ts';
import { type Command, UsageError } from '../command.ts';
import { hasOption, requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { readPassword } from './passwordInput.ts';
import { toUserRow } from './userRow.ts';

/** `postern users passwd`. */
export const userPasswd: Command = {
  name: 'users passwd',
  usage: '--email E --password-stdin',
  summary: 'Sets a password, which is read from standard input, and ends all sessions of the user.',
  options: { email: { type: 'string' }, 'password-stdin': { type: 'boolean' } },
  async run(context) {
    const email = requireOption(context, 'email');
    if (!hasOption(context, 'password-stdin')) {
      throw new UsageError('--password-stdin is missing: the password is read only from standard input');
    }
    const password = await readPassword(context);
    return withServices(context, async (services) => {
      const account = unwrap(await services.users.setPassword(COMMAND_LINE, email, password));
      printRow(context, toUserRow(services, account));
    });
  },
};
