import { COMMAND_LINE } from '../../model/actor.ts';
import { type Command, UsageError } from '../command.ts';
import { hasOption, requireOption, textOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { PASSWORD_OPTION, readOptionalPassword } from './passwordInput.ts';
import { toUserRow } from './userRow.ts';

/** `postern users create`. */
export const userCreate: Command = {
  name: 'users create',
  usage: '--email E [--name N] [--admin] [--password-stdin | --no-password]',
  summary:
    'Creates a user. On a terminal, the command asks for the password. A user without a password cannot sign in.',
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    admin: { type: 'boolean' },
    'no-password': { type: 'boolean' },
    ...PASSWORD_OPTION,
  },
  async run(context) {
    const email = requireOption(context, 'email');
    const name = textOption(context, 'name');
    const isAdmin = hasOption(context, 'admin');
    if (hasOption(context, 'no-password') && hasOption(context, 'password-stdin')) {
      throw new UsageError('--password-stdin and --no-password cannot be used together');
    }
    const password = await readOptionalPassword(context);
    return withServices(context, async (services) => {
      const draft = { email, name, isAdmin, password };
      const account = unwrap(await services.users.create(COMMAND_LINE, draft));
      printRow(context, toUserRow(services, account));
    });
  },
};
