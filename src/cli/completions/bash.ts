import { type CommandRule, type Grammar, type OptionRule, valueCases } from './grammar.ts';

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
${valueCases(grammar, valueCase)}
        *)
            if [[ $current == -* ]]; then
                case $command in
${grammar.commands
  .filter(({ options }) => options.length > 0)
  .map(flagCase)
  .join('\n')}
                esac
                words+=' ${flagsOf(grammar.commonOptions)}'
            else
                case $command in
${wordCases(grammar)}
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
function valueCase(prefix: string, { flag, takesValue, choices }: OptionRule): string {
  return takesValue ? `        ${prefix}${flag}') words='${choices.join(' ')}' ;;` : '';
}

function flagCase({ name, options }: CommandRule): string {
  return `                    '${name}') words='${flagsOf(options)}' ;;`;
}

function flagsOf(options: readonly OptionRule[]): string {
  return options.map(({ flag }) => flag).join(' ');
}

function wordCases({ firstWords, groups, commands }: Grammar): string {
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
