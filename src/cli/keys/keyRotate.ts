import { COMMAND_LINE } from '../../model/actor.ts';
import { DEFAULT_KEEP_OLD, KEEP_OLD_SECONDS, type KeepOld } from '../../model/apiKey.ts';
import type { Command } from '../command.ts';
import { choiceOption, requireOperand, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { requireKeyId } from './keyId.ts';
import { loadToKeyRow } from './keyRow.ts';

const CHOICES = Object.keys(KEEP_OLD_SECONDS) as KeepOld[];

/** `postern keys rotate`. */
export const keyRotate: Command = {
  name: 'keys rotate',
  usage: `KEY_ID [--keep-old ${CHOICES.join('|')}]`,
  summary: `Replaces the secret of an API key. The old secret keeps working for ${DEFAULT_KEEP_OLD}, or for the time of --keep-old; the new one is shown only once.`,
  options: { 'keep-old': { type: 'string' } },
  operands: 1,
  async run(context) {
    const id = requireOperand(context, 'KEY_ID');
    const keepOld = choiceOption(context, 'keep-old', CHOICES) ?? DEFAULT_KEEP_OLD;
    return withServices(context, async (services) => {
      const rotated = await services.apiKeys.rotate(COMMAND_LINE, requireKeyId(services, id), keepOld);
      const { key, secret } = unwrap(rotated);
      printRow(context, (await loadToKeyRow(services))(key, secret));
    });
  },
};
