import { SETTING_GROUPS } from '../settings.ts';
import { version as number } from '../version.ts';
import { type Command, type Context, helpOfOptions, UsageError } from './command.ts';

/** `postern help [COMMAND]`. @param commands a function, because the list of commands includes this one */
export function createHelp(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'Prints all commands, or the usage, the options, and an example of one command.',
    example: 'postern help keys create',
    operands: 2,
    async run(context) {
      const name = context.operands.join(' ');
      const found = findCommands(name, commands());
      if (name !== '' && found.length === 0) throw new UsageError(`unknown command "${name}"`);
      if (context.isJson) printJson(name === '' ? commands() : found, context);
      else if (name === '') printAll(commands(), context);
      else for (const command of found) printUsage(command, context);
      return 0;
    },
  };
}

/** @returns the command with this name, or the commands that start with this word */
export function findCommands(name: string, commands: readonly Command[]): readonly Command[] {
  return commands.filter((command) => command.name === name || command.name.startsWith(`${name} `));
}

/** Prints the usage, the summary, the options, and the example of one command. */
export function printUsage(command: Command, { out }: Context): void {
  out(toUsageLine(command));
  out(`  ${command.summary}`);
  const options = helpOfOptions(command).map(({ flag, value = '', meaning }) => {
    return [`${flag} ${value}`.trimEnd(), meaning] as const;
  });
  const width = Math.max(...options.map(([title]) => title.length));
  for (const [title, meaning] of options) out(`  ${title.padEnd(width)}  ${meaning}`);
  out(`  Example: ${command.example}`);
}

/** @returns for example `usage: postern keys revoke KEY_ID` */
export function toUsageLine(command: Command): string {
  return `usage: postern ${command.name} ${command.usage}`.trimEnd();
}

function printJson(commands: readonly Command[], { out }: Context): void {
  const rows = commands.map((command) => {
    const { name, usage, summary, example } = command;
    return { name, usage, summary, options: helpOfOptions(command), example };
  });
  out(JSON.stringify(rows));
}

function printAll(commands: readonly Command[], { out }: Context): void {
  out('postern: a self-hosted, privacy-first CAPTCHA appliance');
  out('');
  out('usage: postern [COMMAND] [OPTIONS]');
  out('');
  for (const { name, usage, summary } of commands) {
    out(`  ${name} ${usage}`.trimEnd());
    out(`      ${summary}`);
  }
  out('');
  out('To see the options of a command and an example, add --help.');
  out('Every command accepts --help, --json if it prints data, and a flag for each setting:');
  for (const { heading, settings } of SETTING_GROUPS) {
    out('');
    out(`${heading}:`);
    for (const { flag, meaning, default: text } of settings)
      out(`  --${flag.padEnd(20)} ${meaning}${text === undefined ? '' : ` (default: ${text})`}`);
  }
  out('');
  out('Exit codes: 0 success, 1 failure, 2 incorrect usage or configuration.');
}

/** `postern version`. */
export const version: Command = {
  name: 'version',
  usage: '[--json]',
  summary: 'Prints the version.',
  example: 'postern version --json',
  async run({ isJson, out }) {
    const json = { version: number, bun: Bun.version };
    out(isJson ? JSON.stringify(json) : `postern ${number} (Bun ${Bun.version})`);
    return 0;
  },
};
