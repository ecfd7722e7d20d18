import { version as number } from '../version.ts';
import type { Command } from './command.ts';

/** `postern version`. */
export const version: Command = {
  name: 'version',
  usage: '[--json]',
  summary: 'Prints the version.',
  options: {},
  async run({ isJson, out }) {
    const json = { version: number, bun: Bun.version };
    out(isJson ? JSON.stringify(json) : `postern ${number} (Bun ${Bun.version})`);
    return 0;
  },
};
