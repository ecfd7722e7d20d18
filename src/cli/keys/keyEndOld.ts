import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOperand, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { requireKeyId } from './keyId.ts';
import { loadToKeyRow } from './keyRow.ts';

/** `postern keys end-old`. */
export const keyEndOld: Command = {
  name: 'keys end-old',
  usage: 'KEY_ID',
  summary: 'Stops the old secret of a rotated API key immediately. The current secret keeps working.',
  options: {},
  operands: 1,
  async run(context) {
    const id = requireOperand(context, 'KEY_ID');
    return withServices(context, async (services) => {
      const key = unwrap(await services.apiKeys.endOldSecret(COMMAND_LINE, requireKeyId(services, id)));
      printRow(context, (await loadToKeyRow(services))(key));
    });
  },
};
