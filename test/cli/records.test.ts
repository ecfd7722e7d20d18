import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createTestEngine } from '../support/engine.ts';
import { openTestServices } from '../support/services.ts';
import { createCommandLine, useCommandLine, useSampleData } from './commandLine.ts';

const ID = expect.stringMatching(/^[A-Za-z0-9_-]{22}$/);
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const cli = useCommandLine();
const sample = useSampleData(cli);

describe('users', () => {
  test('are listed with id, email address, name, role, plan, and status', async () => {
    const users = await cli.json('users list');
    expect(users).toEqual([
      { id: ID, email: 'ann@example.com', name: 'Ann', admin: true, plan: 'default', disabled: false },
      {
        id: ID,
        email: 'ben@example.com',
        name: 'ben@example.com',
        admin: false,
        plan: 'default',
        disabled: false,
      },
    ]);
    expect(users[0].id).not.toBe(users[1].id);
    const { out } = await cli.run('users list');
    expect(out).toMatch(/^ID +EMAIL +NAME +ADMIN +PLAN +DISABLED\n/);
    expect(out).toMatch(/ann@example\.com +Ann +yes +default +no\n/);
  });

  test('get their passwords from standard input', async () => {
    const options = { stdin: 'correct horse\n' };
    const user = await cli.json('users create --email Eve@Example.com --password-stdin', options);
    expect(user).toEqual({
      id: ID,
      email: 'eve@example.com',
      name: 'eve@example.com',
      admin: false,
      plan: 'default',
      disabled: false,
    });
    const { code, out } = await cli.spawn('users passwd --email eve@example.com --password-stdin --json', {
      stdin: 'correct horse battery\n',
    });
    expect([code, JSON.parse(out)]).toEqual([0, user]);
  });

  test('get their passwords without one trailing line break', async () => {
    // The minimum is eight characters: if the line break counted, seven would be enough.
    const words = 'users passwd --email ann@example.com --password-stdin';
    expect((await cli.run(words, { stdin: 'zxq7vkw\r\n' })).code).toBe(1);
    expect((await cli.run(words, { stdin: 'zxq7vkw\n\n' })).code).toBe(0);
    expect((await cli.run(words, { stdin: 'zxq7vkwm' })).code).toBe(0);
  });

  test.each([
    ['Password1', 'This password is common or repeats a short pattern'],
    ['captcha-eve', 'is too easy to guess'],
  ])('cannot have the password %s', async (stdin, reason) => {
    for (const words of [
      'users create --email eve2@example.com --password-stdin',
      'users passwd --email ann@example.com --password-stdin',
    ]) {
      const { code, err } = await cli.run(words, { stdin });
      expect([code, err.includes(reason)]).toEqual([1, true]);
    }
    expect((await cli.run('users list')).out).not.toContain('eve2@example.com');
  });
});

describe('plans', () => {
  test('can be created, changed, listed, and assigned to users', async () => {
    const small = { name: 'small', orgs: 2, properties: 20 };
    expect(await cli.json('plans set small --orgs 5 --properties 0')).toMatchObject({
      orgs: 5,
      properties: 0,
    });
    expect(await cli.json('plans set small --orgs 2 --properties 20')).toEqual(small);
    const standard = { name: 'default', orgs: 100, properties: 10_000 };
    const invited = { name: 'invited', orgs: 0, properties: 0 };
    expect(await cli.json('plans list')).toEqual([standard, invited, small]);
    const ben = await cli.json('users set-plan --email BEN@example.com --plan small');
    expect(ben).toMatchObject({ email: 'ben@example.com', plan: 'small' });
    expect((await cli.json('users list')).map((user: { plan: string }) => user.plan)).toContain('small');
    await cli.run('users set-plan --email ben@example.com --plan default');
  });

  test.each([
    ['plans set Small --orgs 1 --properties 1', 1, /lowercase letters/],
    ['plans set --orgs 1 --properties 1', 2, /NAME is missing/],
    ['plans set small --orgs 1', 2, /--properties is missing/],
    ['plans set small --orgs -1 --properties 1', 2, /--orgs/],
    ['plans set small --orgs 1.5 --properties 1', 2, /--orgs must be a whole number from 0 to 1000000000/],
    ['plans set small --orgs 1000000001 --properties 1', 2, /--orgs/],
    ['users set-plan --email ann@example.com --plan none', 1, /plan does not exist/],
    ['users set-plan --email nobody@example.com --plan default', 1, /user does not exist/],
  ])('`%s` is rejected', async (words, code, reason) => {
    const before = await cli.json('plans list');
    const { code: ended, err } = await cli.run(words);
    expect(ended).toBe(code);
    expect(err).toMatch(reason);
    expect(await cli.json('plans list')).toEqual(before);
  });

  test('apply to commands too', async () => {
    await cli.run('plans set none --orgs 0 --properties 0');
    await cli.run('users set-plan --email ann@example.com --plan none');
    const { code, err } = await cli.run('orgs create --user ann@example.com --name Another');
    await cli.run('users set-plan --email ann@example.com --plan default');
    expect(code).toBe(1);
    expect(err).toContain('does not allow more organizations');
  });
});

describe('API keys', () => {
  const rates = { rate: null, burst: null, last_used_at: null };
  const bare = {
    org_id: null,
    read_only: false,
    expires_at: null,
    revoked_at: null,
    created_at: ISO,
    ...rates,
  };

  test('are shown only once', async () => {
    const created = await cli.json('keys create --user ann@example.com --name Backend --scope verify');
    const key = expect.stringMatching(/^postern_verify_[0-9A-Za-z]{49}$/);
    const shown = { id: ID, name: 'Backend', scope: 'verify', user: 'ann@example.com', ...bare };
    expect(created).toEqual({ ...shown, key });

    const listed = await cli.json('keys list --user ann@example.com');
    expect(listed).toEqual([{ ...shown, key: null }]);
    expect((await cli.run('keys list')).out).not.toContain(created.key);

    const rotated = await cli.json(`keys rotate ${created.id}`);
    expect(rotated).toEqual({ ...shown, key });
    expect(rotated.id).toBe(created.id);
    expect(rotated.key).not.toBe(created.key);

    const revoked = await cli.json(`keys revoke ${created.id}`);
    expect(revoked).toEqual({ ...shown, key: null, revoked_at: ISO });
    for (const verb of ['revoke', 'rotate']) {
      const again = await cli.run(`keys ${verb} ${created.id}`);
      expect(again).toEqual({ code: 1, out: '', err: 'postern: This API key has already been revoked.\n' });
    }
  });

  test('can be restricted to an organization, to reading, and to a period', async () => {
    const { annOrg } = sample;
    const draft = `keys create --user ann@example.com --name Narrow --scope portal --org ${annOrg} --read-only`;
    const until = await cli.json(`${draft} --expires-at 2099-12-31T23:00:00+01:00`);
    expect(until).toMatchObject({ scope: 'portal', org_id: annOrg, read_only: true });
    expect(until.expires_at).toBe('2099-12-31T22:00:00.000Z');
    const before = Date.now();
    const { expires_at } = await cli.json(`${draft} --expires-days 30`);
    const days = (Date.parse(expires_at) - before) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(30);
    expect(days).toBeLessThan(30.01);
  });

  test('can have their own rate limit', async () => {
    const draft = 'keys create --user ben@example.com --name Slow --scope verify';
    const made = await cli.json(`${draft} --rate 0.5 --burst 3`);
    expect(made).toMatchObject({ rate: 0.5, burst: 3, last_used_at: null });
    const [listed] = await cli.json('keys list --user ben@example.com');
    expect(listed).toMatchObject({ id: made.id, rate: 0.5, burst: 3 });
    await cli.json(`keys revoke ${made.id}`);
  });

  test('that sign puzzles are shown as fingerprints', async () => {
    const [first, second] = [await cli.json('keys rotate-signing'), await cli.json('keys rotate-signing')];
    expect(first).toEqual({ fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(second.fingerprint).not.toBe(first.fingerprint);
  });

  test('can have ids that start with a dash', async () => {
    const services = await openTestServices(cli.dataDir);
    const from = (kind: 'api-key' | 'organization') =>
      Array.from({ length: 2000 }, (_, at) => services.ids.seal(kind, (at + 1000) as never)).find((id) =>
        id.startsWith('-'),
      );
    const [key, org] = [from('api-key'), from('organization')];
    await services.close();
    const unknown = { code: 1, out: '', err: 'postern: This API key does not exist.\n' };
    expect(await cli.run(`keys revoke ${key}`)).toEqual(unknown);
    const { err } = await cli.run(`properties list --org ${org}`);
    expect(err).toBe('postern: The requested organization does not exist.\n');
  });
});

describe('organizations', () => {
  test('are listed with their owners, for their members too', async () => {
    const { annOrg, benOrg } = sample;
    const anns = { id: annOrg, name: 'Ann and friends', owner: 'ann@example.com' };
    const bens = { id: benOrg, name: 'Ben', owner: 'ben@example.com' };
    expect(await cli.json('orgs list')).toEqual([anns, bens]);
    expect(await cli.json('orgs list --user ben@example.com')).toEqual([bens]);
    const member = `--org ${annOrg} --user ben@example.com`;
    expect(await cli.json(`orgs add-member ${member}`)).toEqual(anns);
    expect(await cli.json(`orgs add-member ${member}`)).toEqual(anns);
    expect(await cli.json('orgs list --user ben@example.com')).toEqual([anns, bens]);
    expect(await cli.json(`orgs remove-member ${member}`)).toEqual(anns);
    expect((await cli.run(`orgs remove-member ${member}`)).err).toBe(
      'postern: This user is not a member of the organization.\n',
    );
  });
});

describe('properties', () => {
  test('are created with the defaults or with the given settings', async () => {
    const { benOrg } = sample;
    const plain = await cli.json(`properties create --org ${benOrg} --name Plain --domain Plain.Example.COM`);
    const shown = { id: ID, sitekey: expect.stringMatching(/^[0-9a-f]{32}$/), org_id: benOrg };
    expect(plain).toEqual({
      ...shown,
      name: 'Plain',
      domain: 'plain.example.com',
      level: 128,
      growth: 'medium',
      validity_seconds: 1800,
      allow_subdomains: false,
      allow_localhost: false,
      max_replay_count: 1,
      enabled: true,
    });
    const settings =
      '--level 255 --growth fast --validity-seconds 60 --allow-subdomains --allow-localhost --max-replay-count 9';
    expect(
      await cli.json(`properties create --org ${benOrg} --name Full --domain bücher.example ${settings}`),
    ).toEqual({
      ...shown,
      name: 'Full',
      domain: 'xn--bcher-kva.example',
      level: 255,
      growth: 'fast',
      validity_seconds: 60,
      allow_subdomains: true,
      allow_localhost: true,
      max_replay_count: 9,
      enabled: true,
    });
    const listed = await cli.json(`properties list --org ${benOrg}`);
    expect(listed.map(Object.keys)).toEqual(
      Array(2).fill(['id', 'name', 'domain', 'sitekey', 'org_id', 'enabled']),
    );
    const all = await cli.json('properties list');
    expect(all.map(({ name }: { name: string }) => name)).toEqual(['Shop', 'Plain', 'Full']);
  });
});

describe('a property', () => {
  test('can be disabled and enabled repeatedly, with an audit log entry each time', async () => {
    const [shop] = await cli.json(`properties list --org ${sample.annOrg}`);
    for (const [verb, enabled] of [
      ['disable', false],
      ['disable', false],
      ['enable', true],
    ] as const) {
      const switched = await cli.json(`properties ${verb} ${shop.id}`);
      expect(switched).toMatchObject({ ...shop, enabled, level: 1 });
      expect(await cli.json(`properties list --org ${sample.annOrg}`)).toEqual([{ ...shop, enabled }]);
      const [entry] = await cli.json('audit list --limit 1');
      const action = `property-${verb}d`;
      expect(entry).toMatchObject({ action, subject: `Shop (${sample.sitekey})`, actor: 'command line' });
    }
  });

  test.each([
    ['properties disable', 2, /PROPERTY_ID is missing/],
    ['properties disable x', 1, /This is not the id of a property/],
    ['properties enable AAAAAAAAAAAAAAAAAAAAAA', 1, /This is not the id of a property/],
  ])('%s fails with exit code %d', async (words, code, reason) => {
    const ended = await cli.run(words);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(reason);
  });
});

describe('a disabled user', () => {
  test('is listed as disabled until enabled again', async () => {
    const ben = { email: 'ben@example.com', disabled: true };
    expect(await cli.json('users disable --email ben@example.com')).toMatchObject(ben);
    expect(await cli.json('users list')).toContainEqual(expect.objectContaining(ben));
    expect(await cli.json('users enable --email BEN@example.com')).toMatchObject({
      ...ben,
      disabled: false,
    });
  });

  test('cannot be the last administrator who can sign in', async () => {
    const last =
      'postern: This is the last administrator who can sign in; make another user an administrator first.\n';
    const refused = { code: 1, out: '', err: last };
    expect(await cli.run('users disable --email ann@example.com')).toEqual(refused);
    expect(await cli.json('users list')).toContainEqual(
      expect.objectContaining({ email: 'ann@example.com', disabled: false }),
    );
  });
});

test('maintenance mode can be turned on and off, and its status is stored', async () => {
  expect(await cli.json('maintenance status')).toEqual({ maintenance: false });
  expect(await cli.json('maintenance on')).toEqual({ maintenance: true });
  expect(await cli.json('maintenance status')).toEqual({ maintenance: true });
  expect((await cli.run('maintenance status')).out).toBe('maintenance  yes\n');
  expect(await cli.json('maintenance off')).toEqual({ maintenance: false });
  const forced = await cli.run('maintenance off --json', { settings: { POSTERN_MAINTENANCE: 'on' } });
  expect(forced).toMatchObject({ code: 0, out: '{"maintenance":true}\n' });
  expect(forced.err).toContain('POSTERN_MAINTENANCE is on');
});

const ann = '--user ann@example.com';
const key = `keys create ${ann} --name K --scope verify`;

test.concurrent.each([
  ['users create --email nobody', 'This is not an email address.'],
  ['users create --email ANN@example.com', 'A user with this email address already exists.'],
  ['users create --email x@example.com --name <b>', 'The name of the user contains characters'],
  ['users create --email x@example.com --password-stdin', 'A password must have at least 8 characters.'],
  ['users passwd --email ann@example.com --password-stdin', 'A password must have at least 8 characters.'],
  ['users disable --email no@example.com', 'This user does not exist.'],
  ['users enable --email no@example.com', 'This user does not exist.'],
  [`${key} --rate 0`, 'The rate of an API key must be a number of requests per second from 0.001'],
  [`${key} --rate 1000000001`, 'The rate of an API key must be a number of requests per second from 0.001'],
  [`${key} --burst 0`, 'The burst of an API key must be a whole number of requests from 1 to 1000000000.'],
  [`${key} --burst 1.5`, 'The burst of an API key must be a whole number of requests from 1 to 1000000000.'],
  ['users passwd --email no@example.com --password-stdin', 'This user does not exist.'],
  ['keys create --user no@example.com --name K --scope verify', 'This user does not exist.'],
  [`keys create ${ann} --name <b> --scope verify`, 'The name of the API key contains characters'],
  [
    `${key} --expires-at 2001-01-01`,
    'The expiry of the API key is in the past; choose a time in the future.',
  ],
  [`${key} --org nonsense`, 'This is not the id of an organization; copy it from the list of organizations.'],
  [`${key} --org BEN_ORG`, 'The user is not a member of this organization.'],
  ['keys list --user no@example.com', 'This user does not exist.'],
  ['keys revoke nonsense', 'This API key does not exist.'],
  ['keys rotate ANN_ORG', 'This API key does not exist.'],
  [`orgs create ${ann} --name ann~AND~friends`, 'The owner already has an organization with this name.'],
  ['orgs create --user no@example.com --name N', 'This user does not exist.'],
  ['orgs list --user no@example.com', 'This user does not exist.'],
  [`orgs add-member --org ANN_ORG ${ann}`, 'This user owns the organization'],
  [`orgs remove-member --org ANN_ORG ${ann}`, 'This user owns the organization'],
  [
    `orgs add-member --org nonsense ${ann}`,
    'This is not the id of an organization; copy it from the list of organizations.',
  ],
  [
    'properties create --org ANN_ORG --name shop --domain example.com',
    'already has a property with this name.',
  ],
  ['properties create --org ANN_ORG --name N --domain localhost', 'The domain cannot be localhost'],
  ['properties create --org ANN_ORG --name N --domain 127.1', 'The domain cannot be an IP address'],
  [
    'properties create --org nonsense --name N --domain example.com',
    'This is not the id of an organization; copy it from the list of organizations.',
  ],
  [
    'properties list --org nonsense',
    'This is not the id of an organization; copy it from the list of organizations.',
  ],
])('%s is rejected: %s', async (words, sentence) => {
  const { annOrg, benOrg } = sample;
  const { code, out, err } = await cli.run(
    `${words.replace('ANN_ORG', annOrg).replace('BEN_ORG', benOrg)} --json`,
  );
  expect(err).toContain(sentence);
  expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
});

test('rejected commands change nothing', async () => {
  expect((await cli.json('users list')).length).toBe(3);
  expect((await cli.json('orgs list')).length).toBe(2);
  expect((await cli.json('properties list')).length).toBe(3);
  expect((await cli.json('keys list')).length).toBe(4);
});

test('a long list is printed completely', async () => {
  const big = createCommandLine();
  const engine = createTestEngine();
  const services = await openTestServices(big.dataDir, engine);
  engine.raw().run(`
    INSERT INTO accounts (email, name, is_admin, created_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    SELECT 'user' || i || '@example.com', 'Somebody', 0, 0 FROM n`);
  await services.close();
  expect(JSON.parse((await big.spawn('users list --json')).out).length).toBe(20_000);
  expect((await big.spawn('users list')).out.split('\n').length).toBe(20_002);
  big.remove();
});

test('a missing data folder is created with a message, and one that cannot be used stops the command', async () => {
  const other = createCommandLine();
  const { err } = await other.run('users list');
  expect(err).toBe(`postern: creating the data folder ${other.dataDir}\n`);
  expect(existsSync(other.dataDir)).toBe(true);
  const settings = { POSTERN_DATA_DIR: '/dev/null/data' };
  const ended = await other.run('users list', { settings });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain('postern: the data folder /dev/null/data cannot be used: ');
  other.remove();
});
