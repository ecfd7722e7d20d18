import { version as number } from '../version.ts';
import type { Command } from './command.ts';

/** `postern version`. */
export const version: Command = {
  name: 'version',
  usage: '[--json]',
  summary: 'Shows the version.',
  options: {},
  async run({ isJson, out }) {
    out(
      isJson
        ? JSON.stringify({ version: number, bun: Bun.version })
        : `postern ${number} (Bun ${Bun.version})`,
    );
    return 0;
  },
};
