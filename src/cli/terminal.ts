import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { CommandError } from './command.ts';

/** Asks for texts that are not shown while the user types them, one after another. @throws CommandError if the user cancels */
export type AskHidden = (prompts: readonly string[]) => Promise<readonly string[]>;

/** @returns undefined if standard input is not a terminal */
export function createAskHidden(): AskHidden | undefined {
  return isatty(0) ? askHidden : undefined;
}

/**
 * Shows the prompts on the terminal of the process, even if the output is redirected. `readline` turns off the echo of the terminal and
 * handles backspace and the other editing keys.
 */
async function askHidden(prompts: readonly string[]): Promise<readonly string[]> {
  const terminal = openSync('/dev/tty', 'w');
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  // One editor for all prompts, because it has already read the second line if the user pastes both.
  const editor = createInterface({ input: process.stdin, output, terminal: true });
  const answers: string[] = [];
  const showPrompt = () => void writeSync(terminal, prompts[answers.length] ?? '');
  try {
    return await new Promise((resolve, reject) => {
      editor.on('line', (line) => {
        answers.push(line);
        writeSync(terminal, '\n');
        if (answers.length === prompts.length) resolve(answers);
        else showPrompt();
      });
      editor.once('SIGINT', () => reject(new CommandError('interrupted')));
      editor.once('close', () => reject(new CommandError('no password was entered')));
      showPrompt();
    });
  } catch (error) {
    writeSync(terminal, '\n');
    throw error;
  } finally {
    editor.close();
    closeSync(terminal);
  }
}
