import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.ts';
import { useCommandLine } from './commandLine.ts';

const cli = useCommandLine();

const NAMES = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))];
const KEYS = ['create', 'end-old', 'list', 'revoke', 'rotate', 'rotate-signing'];

/** What a user has typed, and all words that the shell suggests. */
const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['postern ', NAMES],
  ['postern ke', ['keys']],
  ['postern keys ', KEYS],
  ['postern keys rotate-', ['rotate-signing']],
  ['postern keys create --exp', ['--expires-at', '--expires-days']],
  ['postern keys create --user a@example.com --scope ', ['portal', 'verify']],
  ['postern keys rotate ID --keep-old ', ['0', '1h', '24h', '7d']],
  ['postern maintenance ', ['off', 'on', 'status']],
  ['postern completions ', ['bash', 'fish', 'zsh']],
  ['postern users list --log-f', ['--log-format']],
  ['postern --log-format ', ['auto', 'json', 'pretty']],
];

const fileOf = (shell: string) => join(cli.folder, `postern.${shell}`);

async function run(...command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect([command[0], err, code]).toEqual([command[0], '', 0]);
  return out;
}

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    await Bun.write(fileOf(shell), (await cli.run(`completions ${shell}`)).out);
  }
});

/** Each shell is asked for the suggestions, as if the user had pressed Tab. */
const ASK: Readonly<Record<string, (line: string) => Promise<readonly string[]>>> = {
  bash: async (line) => {
    const words = line.split(' ');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const script = `source '${fileOf('bash')}'
      COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return (await run('bash', '--norc', '-c', script)).trim().split('\n');
  },
  fish: async (line) => {
    const script = `source '${fileOf('fish')}'; complete --do-complete '${line}'`;
    const lines = (await run('fish', '--no-config', '-c', script)).trim().split('\n');
    return lines.map((suggestion) => suggestion.split('\t')[0] ?? '');
  },
};

describe.each(Object.entries(ASK))('%s', (_, ask) => {
  test.each(CASES)('completes "%s"', async (line, expected) => {
    const suggestions = await ask(line);
    expect(suggestions.toSorted()).toEqual(expected.toSorted());
  });
});

test('fish shows the meaning of an option', async () => {
  const script = `source '${fileOf('fish')}'; complete --do-complete 'postern keys create --sc'`;
  expect((await run('fish', '--no-config', '-c', script)).trim()).toBe(
    '--scope\t`verify` for backends that verify solutions, or `portal` for the Platform API.',
  );
});

// zsh computes suggestions only in its line editor, so this test types in a terminal.
describe('zsh', () => {
  test.each([
    ['postern maint', 'postern maintenance '],
    ['postern keys rotate-s', 'postern keys rotate-signing '],
    ['postern keys create --read', 'postern keys create --read-only '],
    ['postern keys create --scope po', 'postern keys create --scope portal '],
    ['postern --log-format=pr', 'postern --log-format=pretty '],
  ])('completes "%s"', async (typed, expected) => {
    const script = `
      zmodload zsh/zpty
      zpty terminal "PS1='> ' TERM=dumb HOME='${cli.folder}' zsh -f -i"
      zpty -w terminal "unset zle_bracketed_paste; autoload -U compinit; compinit -D -u; source '${fileOf('zsh')}'; print REA''DY"
      zpty -r -m terminal start '*READY*> '
      zpty -w -n terminal $'${typed}\\tEND\\n'
      zpty -r -m terminal output '*END*'
      print -r -- "$output"
      zpty -d terminal`;
    const screen = await run('zsh', '-f', '-c', script);
    // zsh removes the space after a suggestion, and types it again.
    expect(screen.replaceAll(' \b', '')).toContain(`${expected}END`);
  });
});

test('`completions --json` prints the script as JSON', async () => {
  const { script } = await cli.json('completions bash');
  expect(`${script}`.trimEnd()).toBe((await Bun.file(fileOf('bash')).text()).trimEnd());
});

test.each([
  ['completions', 'bash, zsh, fish is missing'],
  ['completions tcsh', 'the argument must be one of bash, zsh, fish, not "tcsh"'],
  ['completions constructor', 'the argument must be one of bash, zsh, fish, not "constructor"'],
])('`%s` is incorrect usage', async (command, message) => {
  const { code, out, err } = await cli.run(command);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});
