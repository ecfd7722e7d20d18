import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { textOption } from '../options.ts';
import { printRows } from '../output.ts';
import { loadEmails, requireUser, withServices } from '../withServices.ts';
import { toKeyRow } from './keyRow.ts';

const COLUMNS = ['id', 'user', 'name', 'scope', 'read_only', 'last_used_at', 'expires_at', 'revoked_at'];

/** `postern keys list`. */
export const keyList: Command = {
  name: 'keys list',
  usage: '[--user E]',
  summary: 'Lists API keys, including revoked ones, without their secrets.',
  options: { user: { type: 'string' } },
  async run(context) {
    const user = textOption(context, 'user');
    return withServices(context, async (services) => {
      const account = user === undefined ? undefined : await requireUser(services, user);
      const keys = await services.apiKeys.list(COMMAND_LINE, account);
      const emailOf = await loadEmails(services);
      const rows = keys.map((key) => toKeyRow(services, key, emailOf(key.accountId)));
      printRows(context, rows, COLUMNS);
    });
  },
};
