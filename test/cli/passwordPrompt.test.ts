import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeArgon2 } from '../../src/platform/authentication/passwords.ts';
import { openRaw } from '../support/testStorage.ts';
import { type CommandLine, createCommandLine, PROGRAM } from './commandLine.ts';

/** The commands that set a password, on a real terminal (a pseudoterminal of `expect`). */

setDefaultTimeout(120_000);

let cli: CommandLine;
beforeEach(() => {
  cli = createCommandLine();
});
afterEach(() => cli.remove());

const FIRST = 'first password of anna';
const SECOND = 'pâté à la crème';

/** A step of a session: waits for a text on the screen, and then types. */
type Step = readonly [shown: string, typed: string];

const quoted = (text: string) =>
  `"${text
    .replaceAll(/[[\]$"\\]/g, '\\$&')
    .replaceAll('\r', '\\r')
    .replaceAll('\x03', '\\003')
    .replaceAll('\x04', '\\004')
    .replaceAll('\x7f', '\\177')}"`;

/** Runs a command of the shell on a terminal. @returns its exit code, and everything that appeared on the screen */
async function onTerminal(command: string, steps: readonly Step[]) {
  const script = [
    'set timeout 60',
    `spawn -noecho sh -c ${quoted(command)}`,
    ...steps.flatMap(([shown, typed]) => [
      `expect -ex ${quoted(shown)} {} timeout { exit 97 } eof { exit 98 }`,
      `send -- ${quoted(typed)}`,
    ]),
    'expect eof {} timeout { exit 97 }',
    'exit [lindex [wait] 3]',
  ].join('\n');
  const child = Bun.spawn(['expect', '-c', script], {
    cwd: cli.folder,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', ...(await cli.environment()) },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const screen = await new Response(child.stdout).text();
  return { code: await child.exited, screen };
}

const postern = (words: string) => `${PROGRAM.join(' ')} ${words}`;
const PASSWD = 'users passwd --email anna@example.com';

async function hashOf(email: string): Promise<string | null | undefined> {
  const raw = await openRaw(cli.dataDir);
  const rows = await raw.query<{ hash: string | null }>(
    'SELECT password_hash AS hash FROM accounts WHERE email = ?',
    [email],
  );
  await raw.close();
  return rows[0]?.hash;
}
const isPassword = async (password: string) =>
  nativeArgon2.verify((await hashOf('anna@example.com')) ?? '', password);

const addAnna = () => cli.json('users create --email anna@example.com --password-stdin', { stdin: FIRST });

describe('users passwd on a terminal', () => {
  // The page for a forgotten password says that the command asks for the password, but it ended with "--password-stdin is missing".
  test('asks for the password twice, without showing it, and the result can be redirected', async () => {
    await addAnna();
    const { code, screen } = await onTerminal(postern(`${PASSWD} --json > result.json`), [
      ['New password: ', `${SECOND}xy\x7f\x7f\r`],
      ['Repeat the password: ', `${SECOND}\r`],
    ]);
    expect([code, screen.replaceAll('\r\n', '\n')]).toEqual([0, 'New password: \nRepeat the password: \n']);
    expect(JSON.parse(readFileSync(join(cli.folder, 'result.json'), 'utf8'))).toMatchObject({
      email: 'anna@example.com',
    });
    expect(await isPassword(SECOND)).toBe(true);
  });

  test('accepts both lines at once, as when they are pasted', async () => {
    await addAnna();
    const typed = `${SECOND}\r${SECOND}\r`;
    expect((await onTerminal(postern(PASSWD), [['New password: ', typed]])).code).toBe(0);
    expect(await isPassword(SECOND)).toBe(true);
  });

  test.each([
    [
      'two different passwords',
      [
        ['New password: ', `${SECOND}\r`],
        ['Repeat the password: ', 'other\r'],
      ],
      'are different',
    ],
    ['Ctrl-C', [['New password: ', `${SECOND}\x03`]], 'interrupted'],
    ['Ctrl-D', [['New password: ', '\x04']], 'no password was entered'],
    ['a common password', [['New password: ', 'Password1\rPassword1\r']], 'is common'],
  ] as const)(
    'changes nothing after %s, and the terminal shows what is typed again',
    async (_, steps, reason) => {
      await addAnna();
      const { code, screen } = await onTerminal(`${postern(PASSWD)}; code=$?; stty -a; exit $code`, steps);
      expect([code, screen.includes(reason), / echo\b/.test(screen)]).toEqual([1, true, true]);
      expect(screen).not.toContain(SECOND);
      expect(await isPassword(FIRST)).toBe(true);
    },
  );

  test('reports an unknown user before it asks', async () => {
    const { code, screen } = await onTerminal(postern(PASSWD), []);
    expect([code, screen.includes('This user does not exist.'), screen.includes('assword:')]).toEqual([
      1,
      true,
      false,
    ]);
  });

  test('reads standard input with --password-stdin', async () => {
    await addAnna();
    const { code } = await onTerminal(`printf '${SECOND}\\n' | ${postern(`${PASSWD} --password-stdin`)}`, []);
    expect(code).toBe(0);
    expect(await isPassword(SECOND)).toBe(true);
  });

  test('also works in `script`', async () => {
    await addAnna();
    const command = ['script', '--quiet', '--return', '--command', postern(PASSWD), '/dev/null'];
    const child = Bun.spawn(command, {
      env: { PATH: process.env.PATH ?? '', ...(await cli.environment()) },
      stdin: 'pipe',
      stdout: 'pipe',
    });
    let screen = '';
    for await (const part of child.stdout) {
      screen += new TextDecoder().decode(part);
      if (screen.endsWith('New password: ') || screen.endsWith('Repeat the password: ')) {
        child.stdin.write(`${SECOND}\r`);
        await child.stdin.flush();
      }
    }
    child.stdin.end();
    expect([await child.exited, screen.includes(SECOND)]).toEqual([0, false]);
    expect(await isPassword(SECOND)).toBe(true);
  });
});

describe('users create on a terminal', () => {
  const CREATE = 'users create --email anna@example.com';

  test('asks for the password', async () => {
    const { code, screen } = await onTerminal(postern(CREATE), [
      ['Password (empty', `${SECOND}\r`],
      ['Repeat the password: ', `${SECOND}\r`],
    ]);
    expect([code, screen.includes(SECOND)]).toEqual([0, false]);
    expect(await isPassword(SECOND)).toBe(true);
  });

  test('creates a user without a password if nothing is entered, or with --no-password', async () => {
    expect((await onTerminal(postern(CREATE), [['Password (empty', '\r\r']])).code).toBe(0);
    expect(await hashOf('anna@example.com')).toBeNull();
    const other = postern('users create --email ben@example.com --no-password');
    expect((await onTerminal(other, [])).code).toBe(0);
    expect(await hashOf('ben@example.com')).toBeNull();
  });
});

describe('without a terminal', () => {
  test('users passwd requires --password-stdin, and changes nothing', async () => {
    await addAnna();
    const { code, err } = await cli.spawn(PASSWD, { stdin: SECOND });
    expect([code, err]).toEqual([
      2,
      'postern: --password-stdin is missing: standard input is not a terminal, so the command cannot ask for the password\nusage: postern users passwd --email E [--password-stdin]\n',
    ]);
    expect(await isPassword(FIRST)).toBe(true);
  });

  test('users create creates a user without a password, as before', async () => {
    expect((await cli.spawn('users create --email anna@example.com')).code).toBe(0);
    expect(await hashOf('anna@example.com')).toBeNull();
    const both = 'users create --email ben@example.com --password-stdin --no-password';
    expect((await cli.run(both, { stdin: SECOND })).code).toBe(2);
  });
});
