import { COMMAND_LINE } from '../../model/actor.ts';
import type { Command } from '../command.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';

/** `postern keys rotate-signing`. */
export const keyRotateSigning: Command = {
  name: 'keys rotate-signing',
  usage: '',
  summary: 'Creates a new key for signing puzzles. Puzzles issued before stay valid until they expire.',
  options: {},
  async run(context) {
    return withServices(context, async (services) => {
      const { fingerprint } = await services.signingKeys.rotate(COMMAND_LINE);
      printRow(context, { fingerprint: fingerprint.toHex() });
    });
  },
};
