import type { Grammar, OptionRule, WordRule } from './grammar.ts';

/** @returns a script that adds completions to fish 3 or newer */
export function toFish(grammar: Grammar): string {
  const lines = [
    ...grammar.firstWords.map((rule) => wordLine('', rule)),
    ...grammar.groups.flatMap(({ first, secondWords }) => secondWords.map((rule) => wordLine(first, rule))),
    ...grammar.commands.flatMap(({ name, operands }) =>
      operands.map((word) => wordLine(name, { word, meaning: '' })),
    ),
    ...grammar.commands.flatMap(({ name, options }) => options.map((option) => optionLine(name, option))),
    ...grammar.commonOptions.map((option) => optionLine(undefined, option)),
  ];
  return `# Completions for postern in fish. Created by "postern completions fish".
function __postern_command_is
    set -l words (commandline -opc)
    set -l command
    for word in $words[2..-1]
        string match -q -- '-*' $word; and break
        set -a command $word
        contains -- $command[1] ${grammar.groups.map(({ first }) => first).join(' ')}; or break
        test (count $command) -eq 2; and break
    end
    test "$command" = "$argv"
end
${lines.join('\n')}
`;
}

function wordLine(command: string, { word, meaning }: WordRule): string {
  return `complete -c postern -f ${condition(command)} -a ${word}${description(meaning)}`;
}

function optionLine(command: string | undefined, { flag, takesValue, choices, meaning }: OptionRule): string {
  const scope = command === undefined ? '' : ` ${condition(command)}`;
  const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r -F' : '';
  return `complete -c postern${scope} -l ${flag.slice('--'.length)}${value}${description(meaning)}`;
}

function condition(command: string): string {
  return `-n '__postern_command_is ${command}'`;
}

function description(meaning: string): string {
  return meaning === '' ? '' : ` -d '${meaning.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
