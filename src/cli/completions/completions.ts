import { type Command, UsageError } from '../command.ts';
import { requireOperand } from '../options.ts';
import { toBash } from './bash.ts';
import { toFish } from './fish.ts';
import { type Grammar, toGrammar } from './grammar.ts';
import { toZsh } from './zsh.ts';

const SHELLS: Readonly<Record<string, (grammar: Grammar) => string>> = {
  bash: toBash,
  zsh: toZsh,
  fish: toFish,
};

/** `postern completions SHELL`. @param commands a function, because the list of commands contains this command */
export function createCompletions(commands: () => readonly Command[]): Command {
  return {
    name: 'completions',
    usage: Object.keys(SHELLS).join('|'),
    summary: 'Prints a script that adds completions to a shell.',
    options: {},
    operands: 1,
    async run(context) {
      const names = Object.keys(SHELLS);
      const shell = requireOperand(context, names.join(', '));
      const toScript = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (toScript === undefined) {
        throw new UsageError(`the argument must be one of ${names.join(', ')}, not ${JSON.stringify(shell)}`);
      }
      const script = toScript(toGrammar(commands()));
      context.out(context.isJson ? JSON.stringify({ shell, script }) : script.trimEnd());
      return 0;
    },
  };
}
