import { SETTINGS } from '../settings.ts';
import { type Command, type Context, UsageError } from './command.ts';

/** `postern help [COMMAND]`. @param commands all of them, asked when help runs */
export function createHelp(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'Shows the commands, or one of them.',
    options: {},
    operands: 2,
    async run(context) {
      const name = context.operands.join(' ');
      const wanted = commandsUnder(name, commands());
      if (name !== '' && wanted.length === 0) throw new UsageError(`there is no command "${name}"`);
      if (context.isJson) showJson(name === '' ? commands() : wanted, context);
      else if (name === '') showAll(commands(), context);
      else for (const command of wanted) showOne(command, context);
      return 0;
    },
  };
}

/** The command of this name, or those that begin with this word. */
export function commandsUnder(name: string, commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => command.name === name || command.name.startsWith(`${name} `));
}

/** How one command is called, and what it does. */
export function showOne(command: Command, { out }: Context): void {
  out(usageOf(command));
  out(`  ${command.summary}`);
}

/** The line that tells how a command is called. */
export function usageOf(command: Command): string {
  return `usage: postern ${command.name} ${command.usage}`.trimEnd();
}

function showJson(commands: readonly Command[], { out }: Context): void {
  out(JSON.stringify(commands.map(({ name, usage, summary }) => ({ name, usage, summary }))));
}

function showAll(commands: readonly Command[], { out }: Context): void {
  out('postern: a self-hosted, privacy-first CAPTCHA appliance');
  out('');
  out('usage: postern [COMMAND] [OPTIONS]');
  out('');
  for (const { name, usage, summary } of commands) {
    out(`  ${name} ${usage}`.trimEnd());
    out(`      ${summary}`);
  }
  out('');
  out('Every command takes --json where it prints data, --help, and each setting as a flag:');
  out('');
  for (const setting of SETTINGS) {
    const fallback = setting.default === undefined ? '' : ` (default ${setting.default})`;
    out(`  --${setting.flag.padEnd(20)} ${setting.meaning}${fallback}`);
  }
  out('');
  out('Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.');
}
