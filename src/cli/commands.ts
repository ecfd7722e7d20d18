import type { Command } from './command.ts';
import { createHelp } from './help.ts';
import { serve } from './serve.ts';
import { version } from './version.ts';

/** Every command there is, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [serve, version, createHelp(() => COMMANDS)];
