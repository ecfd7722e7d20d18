import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOperand, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { requireKeyId } from './keyId.ts';
import { loadToKeyRow } from './keyRow.ts';

/** `postern keys revoke`. */
export const keyRevoke: Command = {
  name: 'keys revoke',
  usage: 'KEY_ID',
  summary: 'Revokes an API key permanently. Its current and its old secret stop working immediately.',
  options: {},
  operands: 1,
  async run(context) {
    const id = requireOperand(context, 'KEY_ID');
    return withServices(context, async (services) => {
      const key = unwrap(await services.apiKeys.revoke(COMMAND_LINE, requireKeyId(services, id)));
      printRow(context, (await loadToKeyRow(services))(key));
    });
  },
};
