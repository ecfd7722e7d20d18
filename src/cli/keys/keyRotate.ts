import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { requireOperand, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { loadEmails, withServices } from '../withServices.ts';
import { requireKeyId } from './keyId.ts';
import { toKeyRow } from './keyRow.ts';

/** `postern keys rotate`. */
export const keyRotate: Command = {
  name: 'keys rotate',
  usage: 'KEY_ID',
  summary:
    'Replaces the secret of an API key. The old secret stops working immediately; the new one is shown only once.',
  options: {},
  operands: 1,
  async run(context) {
    const id = requireOperand(context, 'KEY_ID');
    return withServices(context, async (services) => {
      const { key, secret } = unwrap(await services.apiKeys.rotate(COMMAND_LINE, requireKeyId(services, id)));
      const email = (await loadEmails(services))(key.accountId);
      printRow(context, toKeyRow(services, key, email, secret));
    });
  },
};
