import type { Command } from '../command.ts';
import { requireOption } from '../options.ts';
import { printRow } from '../output.ts';
import { recordAudit, requireUser, withServices } from '../withServices.ts';
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
      const wasEnabled = await services.authentication.secondFactors.reset(account);
      if (wasEnabled) await recordAudit(services, 'second-factor-disabled', account.email);
      printRow(context, toUserRow(services, account));
    });
  },
};
