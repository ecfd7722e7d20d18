import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { hasOption } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';

/** `postern keys rotate-signing`. */
export const keyRotateSigning: Command = {
  name: 'keys rotate-signing',
  usage: '[--revoke-old]',
  summary:
    'Creates a new key for signing puzzles. Earlier puzzles stay valid until they expire, unless --revoke-old is used.',
  options: { 'revoke-old': { type: 'boolean' } },
  async run(context) {
    return withServices(context, async (services) => {
      const { fingerprint } = await services.signingKeys.rotate(COMMAND_LINE, {
        revokesOld: hasOption(context, 'revoke-old'),
      });
      printRow(context, { fingerprint: fingerprint.toHex() });
    });
  },
};
