import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { COMMON_OPTIONS, type Command, helpOfOptions, operandsOf, optionsOf } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { protectIds } from '../../src/cli/run.ts';
import { createCommandLine, useCommandLine } from './commandLine.ts';

const cli = useCommandLine();

const user = '--user a@example.com';
const key = `keys create ${user} --name K`;
const property = 'properties create --org O --name N --domain example.com';
const solve = 'solve --sitekey K --origin https://example.com';

describe('incorrect usage exits with code 2 and prints the error and the usage:', () => {
  test.concurrent.each([
    ['users create', '--email is missing'],
    ['users create --email=', '--email is empty'],
    ['users create --email', '--email'],
    ['users create --email a@example.com --admin=yes', '--admin'],
    ['users passwd --password-stdin', '--email is missing'],
    ['users sign-out', 'use either --email or --everyone'],
    ['users sign-out --email a@example.com --everyone', 'use either --email or --everyone'],
    ['users passwd --email a@example.com', '--password-stdin is missing'],
    ['users list extra', 'unexpected argument "extra"'],
    ['keys create --name K --scope verify', '--user is missing'],
    [`keys create ${user} --scope verify`, '--name is missing'],
    [key, '--scope is missing'],
    [`${key} --scope admin`, '--scope must be one of portal, verify, not "admin"'],
    [`${key} --scope verify --expires-days 0`, '--expires-days must be a whole number from 1 to 36500'],
    [`${key} --scope verify --expires-days 1.5`, '--expires-days must be a whole number'],
    [`${key} --scope verify --expires-days=-1`, '--expires-days must be a whole number'],
    [`${key} --scope verify --expires-at tomorrow`, '--expires-at must be an ISO 8601 date or time'],
    [`${key} --scope verify --expires-at 2099-13-01`, '--expires-at must be an ISO 8601 date or time'],
    [
      `${key} --scope verify --expires-days 1 --expires-at 2099-01-01`,
      '--expires-days and --expires-at cannot be used together',
    ],
    ['keys revoke', 'KEY_ID is missing'],
    ['keys revoke a b', 'unexpected argument "b"'],
    ['keys rotate', 'KEY_ID is missing'],
    ['keys rotate-signing now', 'unexpected argument "now"'],
    ['orgs create --name N', '--user is missing'],
    [`orgs add-member ${user}`, '--org is missing'],
    ['orgs remove-member --org O', '--user is missing'],
    ['properties create --org O --domain example.com', '--name is missing'],
    ['properties create --org O --name N', '--domain is missing'],
    [`${property} --level 0`, '--level must be a whole number from 1 to 255, not "0"'],
    [`${property} --level 256`, '--level must be a whole number from 1 to 255, not "256"'],
    [`${property} --level high`, '--level must be a whole number from 1 to 255, not "high"'],
    [`${property} --growth wild`, '--growth must be one of constant, slow, medium, fast'],
    [`${property} --validity-seconds 59`, '--validity-seconds must be a whole number from 60 to 172800'],
    [`${property} --max-replay-count 0`, '--max-replay-count must be a whole number from 1 to 1000000'],
    ['maintenance', 'on, off, or status is missing'],
    ['maintenance perhaps', 'the argument must be on, off, or status, not "perhaps"'],
    ['maintenance on off', 'unexpected argument "off"'],
    [solve, '--url is missing'],
    [`${solve} --url localhost`, '--url must be an http or https URL'],
    ['solve --url http://localhost --origin https://example.com', '--sitekey is missing'],
    ['solve --url http://localhost --sitekey K', '--origin is missing'],
    ['healthcheck --url ftp://localhost', '--url must be an http or https URL'],
    ['healthcheck --port 0', 'POSTERN_PORT is 0'],
    ['doctor --verbose', '--verbose'],
    ['users list --hots 127.0.0.1', '--hots'],
  ])('%s', async (words, mistake) => {
    const { code, out, err } = await cli.run(words);
    expect(err).toContain(mistake);
    expect(err.trimEnd().split('\n').at(-1)).toStartWith('usage: postern ');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test.concurrent.each([
    ['keys', 'unknown command "keys"; did you mean keys create, keys list'],
    ['keys destroy', 'unknown command "keys destroy"; did you mean keys create'],
    ['frobnicate', 'unknown command "frobnicate"; run "postern help" for a list'],
    ['help frobnicate', 'unknown command "frobnicate"'],
  ])('%s', async (words, mistake) => {
    const { code, out, err } = await cli.run(words);
    expect(err).toContain(mistake);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

// All other tests run commands in this process.
test.each([
  ['version', 0],
  ['users disable --email no@example.com', 1],
  ['frobnicate', 2],
  ['users create', 2],
])('`postern %s` in its own process exits with code %d and has the same output', async (words, code) => {
  const other = createCommandLine();
  await other.run('maintenance status');
  const expected = await other.run(words);
  expect(expected.code).toBe(code);
  expect(await other.spawn(words)).toEqual(expected);
  await other.remove();
});

const INVALID = {
  POSTERN_PORT: 'x',
  POSTERN_LOG: 'loud',
  POSTERN_ADMIN_PASSWORD: 'letmein',
  POSTERN_TLS_CERT: 'c',
};

test.concurrent.each(['users list', 'keys rotate-signing', 'maintenance status', 'healthcheck'])(
  '%s reports all errors in the configuration, without secrets',
  async (words) => {
    const { code, out, err } = await cli.run(words, { settings: INVALID });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines.length).toBe(5);
    for (const part of ['POSTERN_PORT', 'POSTERN_LOG', 'POSTERN_ADMIN_PASSWORD', 'must be set together']) {
      expect(err).toContain(part);
    }
    expect(err).not.toContain(INVALID.POSTERN_ADMIN_PASSWORD);
  },
);

test('none of these commands creates a data folder', () => {
  expect(existsSync(cli.dataDir)).toBe(false);
});

describe('help', () => {
  test('prints each command with its usage, and each setting', async () => {
    const { code, out } = await cli.run('help');
    expect(code).toBe(0);
    for (const { name, usage } of COMMANDS) expect(out).toContain(`  ${name} ${usage}`.trimEnd());
    expect(out).toContain('--data-dir');
  });

  test('prints each option in a column, with its value', async () => {
    const { out } = await cli.run('audit list --help');
    expect(out.split('\n')).toEqual([
      'usage: postern audit list [--limit N]',
      '  Lists audit log entries, newest first.',
      '  --limit N  Number of entries, 1 to 1000. Default: 50.',
      '  Example: postern audit list --limit 100',
      '',
    ]);
  });

  test('prints one command, or all commands of a group', async () => {
    const one = await cli.run('help users passwd');
    expect(one.out).toStartWith('usage: postern users passwd --email E [--password-stdin]\n');
    expect((await cli.run('users passwd --help')).out).toBe(one.out);
    const group = await cli.json('help orgs');
    expect(group.map(({ name }: { name: string }) => name)).toEqual([
      'orgs create',
      'orgs list',
      'orgs add-member',
      'orgs remove-member',
      'orgs attack',
    ]);
  });
});

describe.each(COMMANDS.map((command) => [command.name, command] as const))(
  'the help of %s',
  (name, command) => {
    const { usage, options = {}, example } = command;

    test('explains every option, with the default of each value that can be left out', () => {
      expect(Object.keys(options).toSorted()).toEqual(Object.keys(optionsOf({ usage })).toSorted());
      for (const { flag, value, meaning } of helpOfOptions(command)) {
        expect([flag, meaning]).toEqual([flag, expect.stringMatching(/^[A-Z`].*\.$/)]);
        // In brackets, but not in braces, which mean that one of the options is required.
        const canBeLeftOut = new RegExp(`\\[[^\\]]*${flag} `).test(usage);
        if (value !== undefined && canBeLeftOut)
          expect([flag, meaning]).toEqual([flag, expect.stringContaining('Default: ')]);
      }
    });

    test('shows the options and an example of this command', async () => {
      const { out } = await cli.run(`help ${name}`);
      expect(example).toStartWith(`postern ${name}`);
      expect(out).toContain(`Example: ${example}\n`);
      for (const text of Object.values(options)) expect(out).toContain(text);
    });
  },
);

test('docs/reference/cli.md lists every command and every option', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/reference/cli.md')).text();
  for (const command of COMMANDS) {
    expect(page).toMatch(new RegExp(`(postern |\`)${command.name}`));
    for (const option of Object.keys(optionsOf(command))) expect(page).toContain(`--${option}`);
  }
});

test('the usage line of a command defines its options and the number of its arguments', () => {
  const usage =
    'FILE|- [ID] {--user E | --org-owned --org O} [--header "NAME: VALUE"]... [--keep 0|1h] [--json] [--force]';
  const flag = { type: 'boolean', multiple: false } as const;
  const value = { type: 'string', multiple: false } as const;
  const options = { user: value, 'org-owned': flag, org: value, keep: value, force: flag };
  expect(optionsOf({ usage })).toEqual({ ...options, header: { type: 'string', multiple: true } });
  const values = helpOfOptions({ usage }).map(({ flag, value }) => [flag, value]);
  expect(values).toEqual([
    ['--user', 'E'],
    ['--org-owned', undefined],
    ['--org', 'O'],
    ['--header', '"NAME: VALUE"'],
    ['--keep', '0|1h'],
    ['--force', undefined],
  ]);
  const command: Command = { name: 'x', summary: '', usage, example: '', run: async () => 0 };
  expect(operandsOf(command)).toBe(2);
  expect([operandsOf({ ...command, usage: '' }), operandsOf({ ...command, operands: 3 })]).toEqual([0, 3]);
});

test('no option of a command has the name of a setting', () => {
  for (const { name, usage } of COMMANDS) {
    const hidden = Object.keys(optionsOf({ usage })).filter((option) =>
      Object.hasOwn(COMMON_OPTIONS, option),
    );
    expect({ name, hidden }).toEqual({ name, hidden: [] });
  }
});

// Ids are base64url, so 1 in 64 starts with a dash, which parseArgs mistook for an option.
describe('an id that starts with a dash', () => {
  const id = '-bcdefghijklmnopqrst_-';
  const options = {
    org: { type: 'string' },
    json: { type: 'boolean' },
    'name-as-long-as-ids-': { type: 'string' },
  };
  test.each([
    [['--org', id], [`--org=${id}`]],
    [[`--org=${id}`], [`--org=${id}`]],
    [
      [id, '--json'],
      ['--json', '--', id],
    ],
    [
      ['--json', id],
      ['--json', '--', id],
    ],
    [
      ['--', id],
      ['--', id],
    ],
    [
      ['--name-as-long-as-ids-', 'x'],
      ['--name-as-long-as-ids-', 'x'],
    ],
    [
      ['--org', 'abcdefghijklmnopqrst_-'],
      ['--org', 'abcdefghijklmnopqrst_-'],
    ],
  ])('%p becomes %p', (words, expected) => {
    expect(protectIds(words, options as never)).toEqual(expected);
  });
});
