import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { COMMON_OPTIONS } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { protectIds } from '../../src/cli/words.ts';
import { createDesk } from './commandLine.ts';

const desk = createDesk();
afterAll(desk.remove);

const user = '--user a@example.com';
const key = `keys create ${user} --name K`;
const property = 'properties create --org O --name N --domain example.com';
const solve = 'solve --sitekey K --origin https://example.com';

describe('wrong usage has exit code 2, names the mistake and shows the usage:', () => {
  test.concurrent.each([
    ['users create', '--email is missing'],
    ['users create --email=', '--email is empty'],
    ['users create --email', '--email'],
    ['users create --email a@example.com --admin=yes', '--admin'],
    ['users passwd --password-stdin', '--email is missing'],
    ['users sign-out', 'give either --email or --everyone'],
    ['users sign-out --email a@example.com --everyone', 'give either --email or --everyone'],
    ['users passwd --email a@example.com', '--password-stdin is missing'],
    ['users list extra', 'unexpected "extra"'],
    ['keys create --name K --scope verify', '--user is missing'],
    [`keys create ${user} --scope verify`, '--name is missing'],
    [key, '--scope is missing'],
    [`${key} --scope admin`, '--scope must be one of portal, verify, not "admin"'],
    [`${key} --scope verify --expires-days 0`, '--expires-days must be a whole number from 1 to 36500'],
    [`${key} --scope verify --expires-days 1.5`, '--expires-days must be a whole number'],
    [`${key} --scope verify --expires-days=-1`, '--expires-days must be a whole number'],
    [`${key} --scope verify --expires-at tomorrow`, '--expires-at must be a date in ISO 8601'],
    [`${key} --scope verify --expires-at 2099-13-01`, '--expires-at must be a date in ISO 8601'],
    [
      `${key} --scope verify --expires-days 1 --expires-at 2099-01-01`,
      '--expires-days and --expires-at exclude each other',
    ],
    ['keys revoke', 'KEY_ID is missing'],
    ['keys revoke a b', 'unexpected "b"'],
    ['keys rotate', 'KEY_ID is missing'],
    ['keys rotate-signing now', 'unexpected "now"'],
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
    ['maintenance', 'on, off or status is missing'],
    ['maintenance perhaps', 'on, off or status is wanted, not "perhaps"'],
    ['maintenance on off', 'unexpected "off"'],
    [solve, '--url is missing'],
    [`${solve} --url localhost`, '--url must be an http or https URL'],
    ['solve --url http://localhost --origin https://example.com', '--sitekey is missing'],
    ['solve --url http://localhost --sitekey K', '--origin is missing'],
    ['healthcheck --url ftp://localhost', '--url must be an http or https URL'],
    ['healthcheck --port 0', 'POSTERN_PORT is 0'],
    ['doctor --verbose', '--verbose'],
    ['users list --hots 127.0.0.1', '--hots'],
  ])('%s', async (words, mistake) => {
    const { code, out, err } = await desk.run(words);
    expect(err).toContain(mistake);
    expect(err.trimEnd().split('\n').at(-1)).toStartWith('usage: postern ');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test.concurrent.each([
    ['keys', 'there is no command "keys"; there are keys create, keys list'],
    ['keys destroy', 'there is no command "keys destroy"; there are keys create'],
    ['frobnicate', 'there is no command "frobnicate"; postern help lists them'],
    ['help frobnicate', 'there is no command "frobnicate"'],
  ])('%s', async (words, mistake) => {
    const { code, out, err } = await desk.run(words);
    expect(err).toContain(mistake);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

// All other tests run commands in this process; here the process itself is the subject.
test.each([
  ['version', 0],
  ['users disable --email no@example.com', 1],
  ['frobnicate', 2],
  ['users create', 2],
])('`postern %s` in a process of its own ends with %d and writes the same', async (words, code) => {
  const other = createDesk();
  await other.run('maintenance status');
  const expected = await other.run(words);
  expect(expected.code).toBe(code);
  expect(await other.spawn(words)).toEqual(expected);
  other.remove();
});

const WRONG = {
  POSTERN_PORT: 'x',
  POSTERN_LOG: 'loud',
  POSTERN_ADMIN_PASSWORD: 'letmein',
  POSTERN_TLS_CERT: 'c',
};

test.concurrent.each(['users list', 'keys rotate-signing', 'maintenance status', 'healthcheck'])(
  '%s tells every mistake of the configuration, and no secret',
  async (words) => {
    const { code, out, err } = await desk.run(words, { settings: WRONG });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines.length).toBe(5);
    for (const part of ['POSTERN_PORT', 'POSTERN_LOG', 'POSTERN_ADMIN_PASSWORD', 'must be set together']) {
      expect(err).toContain(part);
    }
    expect(err).not.toContain(WRONG.POSTERN_ADMIN_PASSWORD);
  },
);

test('nothing of this made a data folder', () => {
  expect(existsSync(desk.dataDir)).toBe(false);
});

describe('help', () => {
  test('shows each command with its usage, and each setting', async () => {
    const { code, out } = await desk.run('help');
    expect(code).toBe(0);
    for (const { name, usage } of COMMANDS) expect(out).toContain(`  ${name} ${usage}`.trimEnd());
    expect(out).toContain('--data-dir');
  });

  test('shows one command, or those of a noun', async () => {
    const one = await desk.run('help users passwd');
    expect(one.out).toStartWith('usage: postern users passwd --email E --password-stdin\n');
    expect((await desk.run('users passwd --help')).out).toBe(one.out);
    const noun = await desk.json('help orgs');
    expect(noun.map(({ name }: { name: string }) => name)).toEqual([
      'orgs create',
      'orgs list',
      'orgs add-member',
      'orgs remove-member',
    ]);
  });
});

test('docs/reference/cli.md has every command and every option', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/reference/cli.md')).text();
  for (const { name, options } of COMMANDS) {
    expect(page).toMatch(new RegExp(`(postern |\`)${name}`));
    for (const option of Object.keys(options)) expect(page).toContain(`--${option}`);
  }
});

test('no option of a command hides a setting', () => {
  for (const { name, options } of COMMANDS) {
    const hidden = Object.keys(options).filter((option) => Object.hasOwn(COMMON_OPTIONS, option));
    expect({ name, hidden }).toEqual({ name, hidden: [] });
  }
});

// Ids are base64url, so one in 64 begins with a dash, and was taken for an option.
describe('an id that begins with a dash', () => {
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
