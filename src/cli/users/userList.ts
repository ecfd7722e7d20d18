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
      const users = await services.users.list(COMMAND_LINE);
      const rows = users.map((user) => toUserRow(services, user));
      printRows(context, rows, ['id', 'email', 'name', 'admin', 'plan', 'disabled']);
    });
  },
};
