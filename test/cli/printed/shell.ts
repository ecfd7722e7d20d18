/** A command of a shell script: its words without quotes, and the assignments before it. */
export type ShellCommand = {
  readonly words: readonly string[];
  /** Assignments of environment variables before the command, or without one. */
  readonly assignments: readonly (readonly [name: string, value: string])[];
};

const OPERATOR = /^(?:\|\||&&|\||;|&|<\(|\$\(|\(|\)|\{(?=\s)|\}(?=\s|$))/;
const REDIRECTION = /^\d?(?:>>|>&|>|<)\s*(?:&\d|"[^"]*"|[^\s|&;()]+)/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;
const KEYWORDS = new Set(['until', 'do', 'done', 'then', 'if', 'fi', 'while', '!', 'exec']);

/** Splits a script into its commands. Comments and redirections are removed, and the commands of pipes and substitutions are separate. */
export function commandsOf(script: string): readonly ShellCommand[] {
  const lines = script.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return lines.flatMap(splitLine).flatMap((words) => {
    const command = words.filter((word, index) => index > 0 || !KEYWORDS.has(word));
    const first = command.findIndex((word) => !ASSIGNMENT.test(word));
    const end = first === -1 ? command.length : first;
    const assignments = command.slice(0, end).map((word) => {
      const [, name = '', value = ''] = ASSIGNMENT.exec(word) ?? [];
      return [name, value] as const;
    });
    return command.length === 0 ? [] : [{ words: command.slice(end), assignments }];
  });
}

/** @returns the words of each command of a line */
function splitLine(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at);
    const quoted = /^'([^']*)'|^"((?:[^"\\]|\\.)*)"|^\\(.)/s.exec(rest);
    const operator = OPERATOR.exec(rest)?.[0];
    const redirection = word === undefined ? REDIRECTION.exec(rest)?.[0] : undefined;
    if (quoted !== null) {
      word = (word ?? '') + (quoted[1] ?? quoted[2] ?? quoted[3] ?? '');
      at += quoted[0].length;
    } else if (word === undefined && rest.startsWith('#')) break;
    else if (operator !== undefined) {
      endWord();
      commands.push([]);
      at += operator.length;
    } else if (redirection !== undefined) at += redirection.length;
    else {
      const character = rest.charAt(0);
      if (/\s/.test(character)) endWord();
      else word = (word ?? '') + character;
      at++;
    }
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}
