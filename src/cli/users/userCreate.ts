import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { hasOption, requireOption, textOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { readPassword } from './passwordInput.ts';
import { toUserRow } from './userRow.ts';

/** `postern users create`. */
export const userCreate: Command = {
  name: 'users create',
  usage: '--email E [--name N] [--admin] [--password-stdin]',
  summary: 'Creates a user. A user without a password cannot sign in.',
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    admin: { type: 'boolean' },
    'password-stdin': { type: 'boolean' },
  },
  async run(context) {
    const email = requireOption(context, 'email');
    const name = textOption(context, 'name');
    const isAdmin = hasOption(context, 'admin');
    const password = hasOption(context, 'password-stdin') ? await readPassword(context) : undefined;
    return withServices(context, async (services) => {
      const draft = { email, name, isAdmin, password };
      const account = unwrap(await services.users.create(COMMAND_LINE, draft));
      printRow(context, toUserRow(services, account));
    });
  },
};
