import { COMMAND_LINE } from '../../model/actor.ts';
import { type Command, UsageError } from '../command.ts';
import { hasOption, textOption, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { recordAudit, requireUser, withServices } from '../withServices.ts';

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
        const ended = unwrap(await services.users.endAllSessions(COMMAND_LINE));
        await recordAudit(services, 'sessions-ended', 'everyone');
        return printRow(context, { ended });
      }
      const { id } = await requireUser(services, email);
      const { account, ended } = unwrap(await services.users.endSessions(COMMAND_LINE, id));
      await recordAudit(services, 'sessions-ended', account.email);
      printRow(context, { ended });
    });
  },
};
