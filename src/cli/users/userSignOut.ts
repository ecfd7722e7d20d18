import { COMMAND_LINE } from '../../model/actor.ts';
import { type Command, UsageError } from '../command.ts';
import { hasOption, textOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { requireUser, withServices } from '../withServices.ts';

/** `postern users sign-out`. */
export const userSignOut: Command = {
  name: 'users sign-out',
  usage: '--email E | --everyone',
  summary: 'Ends all sessions of one user, or of all users.',
  options: { email: { type: 'string' }, everyone: { type: 'boolean' } },
  async run(context) {
    const email = textOption(context, 'email');
    const isEveryone = hasOption(context, 'everyone');
    if (isEveryone === (email !== undefined)) throw new UsageError('use either --email or --everyone');
    return withServices(context, async (services) => {
      if (email === undefined) {
        return printRow(context, { ended: unwrap(await services.users.endAllSessions(COMMAND_LINE)) });
      }
      const { id } = await requireUser(services, email);
      printRow(context, { ended: unwrap(await services.users.endSessions(COMMAND_LINE, id)) });
    });
  },
};
