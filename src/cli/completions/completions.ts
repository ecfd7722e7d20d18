import { type Command, UsageError } from '../command.ts';
import { requireOperand } from '../options.ts';
import {
  type CommandRule,
  type Grammar,
  type OptionRule,
  toGrammar,
  valueCases,
  type WordRule,
} from './grammar.ts';

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
    example: 'postern completions bash',
    async run(context) {
      const names = Object.keys(SHELLS);
      const shell = requireOperand(context, names.join(', '));
      const toScript = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (toScript === undefined)
        throw new UsageError(`the argument must be one of ${names.join(', ')}, not ${JSON.stringify(shell)}`);
      const script = toScript(toGrammar(commands()));
      context.out(context.isJson ? JSON.stringify({ shell, script }) : script.trimEnd());
      return 0;
    },
  };
}

/** @returns a script that adds completions to bash 4 or newer, with or without the package bash-completion */
export function toBash(grammar: Grammar): string {
  return `# Completions for postern in bash. Created by "postern completions bash".
_postern() {
    local current=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD-1]} command= words=
    # bash treats the = of --flag=value as a word.
    if [[ $current == = ]]; then
        current=
    elif [[ $flag == = ]]; then
        flag=\${COMP_WORDS[COMP_CWORD-2]}
    fi
    if ((COMP_CWORD > 1)) && [[ \${COMP_WORDS[1]} != -* ]]; then
        command=\${COMP_WORDS[1]}
        case $command in
            ${grammar.groups.map(({ first }) => first).join('|')})
                if ((COMP_CWORD > 2)); then command+=" \${COMP_WORDS[2]}"; fi
                ;;
        esac
    fi
    case "$command $flag" in
${valueCases(grammar, bashValueCase)}
        *)
            if [[ $current == -* ]]; then
                case $command in
${grammar.commands
  .filter(({ options }) => options.length > 0)
  .map(bashFlagCase)
  .join('\n')}
                esac
                words+=' ${flagsOf(grammar.commonOptions)}'
            else
                case $command in
${bashWordCases(grammar)}
                esac
            fi
            ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _postern postern
`;
}

/** Suggests the values of the option before the cursor, or file names if the option accepts any value. */
function bashValueCase(prefix: string, { flag, takesValue, choices }: OptionRule): string {
  return takesValue ? `        ${prefix}${flag}') words='${choices.join(' ')}' ;;` : '';
}

function bashFlagCase({ name, options }: CommandRule): string {
  return `                    '${name}') words='${flagsOf(options)}' ;;`;
}

function flagsOf(options: readonly OptionRule[]): string {
  return options.map(({ flag }) => flag).join(' ');
}

function bashWordCases({ firstWords, groups, commands }: Grammar): string {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['', firstWords.map(({ word }) => word)],
    ...groups.map(({ first, secondWords }) => [first, secondWords.map(({ word }) => word)] as const),
    ...commands
      .filter(({ operands }) => operands.length > 0)
      .map(({ name, operands }) => [name, operands] as const),
  ];
  return cases
    .map(([name, words]) => `                    '${name}') words='${words.join(' ')}' ;;`)
    .join('\n');
}

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

/** @returns a script that adds completions to zsh 5: a file `_postern` in `fpath`, or the input of `source` */
export function toZsh(grammar: Grammar): string {
  return `#compdef postern
# Completions for postern in zsh. Created by "postern completions zsh".
_postern() {
    local current=$words[CURRENT] flag=$words[CURRENT-1] command=
    local -a rules values
    if [[ $current == --*=* ]]; then
        flag=\${current%%=*}
        compset -P '*='
    fi
    if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then
        command=$words[2]
        case $command in
            (${grammar.groups.map(({ first }) => first).join('|')})
                if (( CURRENT > 3 )); then command+=" $words[3]"; fi
                ;;
        esac
    fi
    case "$command $flag" in
${valueCases(grammar, zshValueCase)}
    esac
    if [[ $current == -* ]]; then
        case $command in
${grammar.commands
  .filter(({ options }) => options.length > 0)
  .map(zshFlagCase)
  .join('\n')}
        esac
        rules+=(${grammar.commonOptions.map(toFlagEntry).join(' ')})
        _describe -o option rules
        return
    fi
    case $command in
${zshWordCases(grammar)}
        (*) _files; return ;;
    esac
    _describe command rules
}
if [[ $funcstack[1] == _postern ]]; then
    _postern "$@"
else
    compdef _postern postern
fi
`;
}

function zshValueCase(prefix: string, { flag, takesValue, choices }: OptionRule): string {
  if (!takesValue) return '';
  const action = choices.length === 0 ? '_files' : `values=(${choices.join(' ')}); _describe value values`;
  return `        (${prefix}${flag}') ${action}; return ;;`;
}

function zshFlagCase({ name, options }: CommandRule): string {
  return `            ('${name}') rules=(${options.map(toFlagEntry).join(' ')}) ;;`;
}

function toFlagEntry({ flag, meaning }: OptionRule): string {
  return toEntry({ word: flag, meaning });
}

function zshWordCases({ firstWords, groups, commands }: Grammar): string {
  const cases: readonly (readonly [string, readonly WordRule[]])[] = [
    ['', firstWords],
    ...groups.map(({ first, secondWords }) => [first, secondWords] as const),
    ...commands
      .filter(({ operands }) => operands.length > 0)
      .map(({ name, operands }) => [name, operands.map((word) => ({ word, meaning: '' }))] as const),
  ];
  return cases
    .map(([name, words]) => `        ('${name}') rules=(${words.map(toEntry).join(' ')}) ;;`)
    .join('\n');
}

/** An entry of `_describe`, whose word ends at the first colon. */
function toEntry({ word, meaning }: WordRule): string {
  const text = meaning === '' ? word : `${word}:${meaning}`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
