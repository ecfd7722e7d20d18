import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { printRows } from '../output.ts';
import { withServices } from '../withServices.ts';
import { toUserRow } from './userRow.ts';

/** `postern users list`. */
export const userList: Command = {
  name: 'users list',
  usage: '',
  summary: 'Lists all users.',
  options: {},
  async run(context) {
    return withServices(context, async (services) => {
      const accounts = await services.accounts.list(COMMAND_LINE);
      const rows = accounts.map((account) => toUserRow(services, account));
      printRows(context, rows, ['id', 'email', 'name', 'admin', 'plan', 'disabled']);
    });
  },
};
