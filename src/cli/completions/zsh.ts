import { type CommandRule, type Grammar, type OptionRule, valueCases, type WordRule } from './grammar.ts';

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
${valueCases(grammar, valueCase)}
    esac
    if [[ $current == -* ]]; then
        case $command in
${grammar.commands
  .filter(({ options }) => options.length > 0)
  .map(flagCase)
  .join('\n')}
        esac
        rules+=(${grammar.commonOptions.map(toFlagEntry).join(' ')})
        _describe -o option rules
        return
    fi
    case $command in
${wordCases(grammar)}
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

function valueCase(prefix: string, { flag, takesValue, choices }: OptionRule): string {
  if (!takesValue) return '';
  const action = choices.length === 0 ? '_files' : `values=(${choices.join(' ')}); _describe value values`;
  return `        (${prefix}${flag}') ${action}; return ;;`;
}

function flagCase({ name, options }: CommandRule): string {
  return `            ('${name}') rules=(${options.map(toFlagEntry).join(' ')}) ;;`;
}

function toFlagEntry({ flag, meaning }: OptionRule): string {
  return toEntry({ word: flag, meaning });
}

function wordCases({ firstWords, groups, commands }: Grammar): string {
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
