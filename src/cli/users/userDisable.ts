import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';
import { toUserRow } from './userRow.ts';

/** `postern users disable`. */
export const userDisable: Command = createSwitch(
  'disable',
  "Disables a user, who can no longer sign in or use API keys. The user's organizations and properties continue to work.",
);

/** `postern users enable`. */
export const userEnable: Command = createSwitch('enable', 'Enables a disabled user.');

function createSwitch(verb: 'disable' | 'enable', summary: string): Command {
  return {
    name: `users ${verb}`,
    usage: '--email E',
    summary,
    options: { email: { type: 'string' } },
    async run(context) {
      const email = requireOption(context, 'email');
      return withServices(context, async (services) => {
        const { id } = await requireUser(services, email);
        const account = unwrap(await services.users[verb](COMMAND_LINE, id));
        printRow(context, toUserRow(services, account));
      });
    },
  };
}
