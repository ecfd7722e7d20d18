import { SETTINGS } from '../../settings.ts';
import { COMMON_OPTIONS, type Command, helpOfOptions } from '../command.ts';

/** The description of an option for shell completions. */
export type OptionRule = {
  /** With two dashes. */
  readonly flag: string;
  readonly takesValue: boolean;
  /** The allowed values; empty if any value is allowed. */
  readonly choices: readonly string[];
  /** One line; may be empty. */
  readonly meaning: string;
};

/** The description of a command for shell completions. */
export type CommandRule = {
  /** One or two words, separated by a space. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionRule[];
  /** The allowed values of the first positional argument; empty if any value is allowed. */
  readonly operands: readonly string[];
};

/** A suggested word. */
export type WordRule = { readonly word: string; readonly meaning: string };

/** The description of the command line for shell completions. */
export type Grammar = {
  readonly firstWords: readonly WordRule[];
  /** The second words by first word, of commands of two words. */
  readonly groups: readonly { readonly first: string; readonly secondWords: readonly WordRule[] }[];
  readonly commands: readonly CommandRule[];
  readonly commonOptions: readonly OptionRule[];
};

/** @returns the grammar of these commands */
export function toGrammar(commands: readonly Command[]): Grammar {
  const names = [...new Set(commands.map(({ name }) => wordsOf(name)[0]))];
  const groups = names.flatMap((first) => {
    const secondWords = commands.flatMap(({ name, summary }) => {
      const [word, second] = wordsOf(name);
      return word === first && second !== undefined ? [{ word: second, meaning: summary }] : [];
    });
    return secondWords.length === 0 ? [] : [{ first, secondWords }];
  });
  return {
    firstWords: names.map((word) => ({ word, meaning: meaningOf(word, commands, groups) })),
    groups,
    commands: commands.map(toCommandRule),
    commonOptions: commonOptions(),
  };
}

function wordsOf(name: string): readonly [string, string | undefined] {
  const [first = '', second] = name.split(' ');
  return [first, second];
}

function meaningOf(word: string, commands: readonly Command[], groups: Grammar['groups']): string {
  const group = groups.find(({ first }) => first === word);
  if (group !== undefined) return group.secondWords.map((second) => second.word).join(', ');
  return commands.find(({ name }) => name === word)?.summary ?? '';
}

function toCommandRule(command: Command): CommandRule {
  const { name, usage, summary } = command;
  return {
    name,
    summary,
    options: helpOfOptions(command).map(({ flag, value, meaning }) => ({
      flag,
      takesValue: value !== undefined,
      choices: choicesIn(/^[a-z0-9-]+(?:\|[a-z0-9-]+)+$/.exec(value ?? '')?.[0]),
      // The first sentence.
      meaning: meaning.replace(/(?<=\.) .*$/, ''),
    })),
    operands: choicesIn(/^([a-z-]+(?:\|[a-z-]+)+)/.exec(usage)?.[1]),
  };
}

/** @param text for example `portal|verify` */
function choicesIn(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split('|');
}

function commonOptions(): readonly OptionRule[] {
  const settings = new Map(SETTINGS.map((setting) => [setting.flag, setting]));
  return Object.entries(COMMON_OPTIONS).map(([option, { type }]) => {
    const setting = settings.get(option);
    const choices = /^one of (.+)$/.exec(setting?.allowed ?? '')?.[1]?.split(', ') ?? [];
    return {
      flag: `--${option}`,
      takesValue: type === 'string',
      choices,
      meaning: setting?.meaning ?? (option === 'json' ? 'Prints JSON.' : 'Prints the usage.'),
    };
  });
}

/**
 * Joins the branches of the shell's `case` command, which match a command and the option before the cursor.
 *
 * @param toCase returns the branch of an option, or an empty string if the option has no value
 */
export function valueCases(
  { commands, commonOptions }: Grammar,
  toCase: (prefix: string, option: OptionRule) => string,
): string {
  const cases = [
    ...commands.flatMap(({ name, options }) => options.map((option) => toCase(`'${name} `, option))),
    ...commonOptions.map((option) => toCase(`*' `, option)),
  ];
  return cases.filter((line) => line !== '').join('\n');
}
