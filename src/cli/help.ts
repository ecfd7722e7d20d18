import { flagOf, SETTINGS } from '../config.ts';
import { type Command, UsageError } from './command.ts';

/** `postern help [COMMAND]`. @param commands all of them, asked when help runs */
export function createHelp(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'Shows the commands, or one of them.',
    options: {},
    operands: 2,
    async run({ operands, out }) {
      const name = operands.join(' ');
      const wanted = commands().filter(
        (command) => command.name === name || command.name.startsWith(`${name} `),
      );
      if (name !== '' && wanted.length === 0) throw new UsageError(`there is no command "${name}"`);
      if (name === '') showAll(commands(), out);
      else for (const command of wanted) showOne(command, out);
      return 0;
    },
  };
}

/** How one command is called, and what it does. */
export function showOne(command: Command, out: (line: string) => void): void {
  out(usageOf(command));
  out(`  ${command.summary}`);
}

/** The line that tells how a command is called. */
export function usageOf(command: Command): string {
  return `usage: postern ${command.name} ${command.usage}`.trimEnd();
}

function showAll(commands: readonly Command[], out: (line: string) => void): void {
  out('postern: a self-hosted, privacy-first CAPTCHA appliance');
  out('');
  out('usage: postern [COMMAND] [OPTIONS]');
  out('');
  for (const { name, summary } of commands) out(`  ${name.padEnd(22)} ${summary}`);
  out('');
  out('Every command takes --json where it prints data, --help, and each setting as a flag:');
  out('');
  for (const setting of SETTINGS) {
    const fallback = setting.fallback === undefined ? '' : ` (default ${setting.fallback})`;
    out(`  --${flagOf(setting).padEnd(20)} ${setting.meaning}${fallback}`);
  }
  out('');
  out('Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.');
}
