import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { nativeArgon2 } from '../../src/platform/authentication/passwords.ts';
import { createBrowserClient, PASSWORD } from '../support/portal.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openRaw } from '../support/testStorage.ts';
import { type CommandLine, createCommandLine } from './commandLine.ts';
import { ANN, BEN, DOCUMENT, FRIENDS, useTarget } from './exports/documents.ts';

const UNICODE = 'anna@münchen.example';
const ASCII = 'anna@xn--mnchen-3ya.example';

let cli: CommandLine;
beforeEach(() => {
  cli = createCommandLine();
});
afterEach(() => cli.remove());

const emails = async () => (await cli.json('users list')).map(({ email }: { email: string }) => email);

describe('a command', () => {
  // Chromium sends domains in ASCII, and people copy them from the log of another program.
  test.each([
    [UNICODE, ASCII],
    [ASCII, UNICODE],
  ])('finds the user who was created as %s by the spelling %s', async (created, given) => {
    await cli.json(`users create --email ${created} --password-stdin`, { stdin: PASSWORD });
    expect(await emails()).toEqual([UNICODE]);
    const user = { email: UNICODE };
    expect(
      await cli.json(`users passwd --email ${given} --password-stdin`, { stdin: `${PASSWORD} 2` }),
    ).toMatchObject(user);
    await cli.json('plans set big --orgs 5 --properties 5');
    expect(await cli.json(`users set-plan --email ${given} --plan big`)).toMatchObject(user);
    expect(await cli.json(`users disable --email ${given}`)).toMatchObject(user);
    expect(await cli.json(`users enable --email ${given}`)).toMatchObject(user);
    expect(await cli.json(`users reset-2fa --email ${given}`)).toMatchObject(user);
    expect(await cli.json(`users sign-out --email ${given}`)).toEqual({ ended: 0 });
    const { id, owner } = await cli.json(`orgs create --user ${given} --name Anna`);
    expect(owner).toBe(UNICODE);
    expect(await cli.json(`orgs list --user ${given}`)).toMatchObject([{ id }]);
    expect(await cli.json(`keys create --user ${given} --name Key --scope portal`)).toMatchObject({
      user: UNICODE,
    });
    expect(await cli.json(`keys list --user ${given}`)).toHaveLength(1);
    await cli.json('users create --email ben@example.com');
    const org = await cli.json('orgs create --user ben@example.com --name Ben');
    await cli.json(`orgs add-member --org ${org.id} --user ${given}`);
    await cli.json(`orgs remove-member --org ${org.id} --user ${given}`);
    const { code, err } = await cli.run(`users create --email ${given}`);
    expect([code, err]).toEqual([1, 'postern: A user with this email address already exists.\n']);
    expect(await emails()).toEqual([UNICODE, 'ben@example.com']);
  });

  test('rejects an invalid international domain with a message about it', async () => {
    await cli.json('users list');
    const { code, err } = await cli.run('users create --email anna@xn--a.example');
    expect([code, err]).toEqual([
      1,
      'postern: The domain of this email address is not valid; check its international characters and any labels that start with xn--.\n',
    ]);
    expect(await emails()).toEqual([]);
  });

  test('sets passwords in NFC', async () => {
    const composed = 'pâté à la crème';
    await cli.json(`users create --email ${UNICODE} --password-stdin`, { stdin: composed.normalize('NFD') });
    const raw = await openRaw(cli.dataDir);
    const [row] = await raw.query<{ hash: string }>('SELECT password_hash AS hash FROM accounts');
    await raw.close();
    expect(await nativeArgon2.verify(row?.hash ?? '', composed)).toBe(true);
  });
});

describe('users set-email', () => {
  test('changes the address with which a user signs in', async () => {
    await cli.json(`users create --email ${UNICODE}`);
    await cli.json('users create --email ben@example.com');
    expect(await cli.json(`users set-email --email ${ASCII} --new-email Anna@Example.com`)).toMatchObject({
      email: 'anna@example.com',
    });
    for (const [words, reason] of [
      ['--email anna@example.com --new-email BEN@example.com', 'already exists'],
      ['--email anna@example.com --new-email ben', 'not a valid email address'],
      [`--email ${UNICODE} --new-email ben2@example.com`, 'does not exist'],
    ]) {
      const { code, err } = await cli.run(`users set-email ${words}`);
      expect([words, code, err.includes(reason ?? '')]).toEqual([words, 1, true]);
    }
    expect(await emails()).toEqual(['anna@example.com', 'ben@example.com']);
    expect((await cli.json('audit list'))[0]).toMatchObject({
      action: 'user-email-changed',
      object: `${UNICODE} to anna@example.com`,
    });
  });
});

describe('two users of an earlier version with spellings of one address', () => {
  const signIn = (server: TestServer, email: string, password: string) =>
    createBrowserClient(server).fill('/portal/login', { email, password });

  const startOn = async () => startServer({ dataDir: cli.dataDir, settings: await cli.environment() });

  test('both can still sign in, and the conflict is reported and can be resolved', async () => {
    await cli.json(`users create --email ${UNICODE} --password-stdin`, { stdin: `${PASSWORD} 1` });
    const raw = await openRaw(cli.dataDir);
    await raw.query(
      `INSERT INTO accounts (email, name, is_admin, created_at, password_hash) VALUES (?, 'Anna 2', FALSE, 0, ?)`,
      [ASCII, await nativeArgon2.hash(`${PASSWORD} 2`)],
    );
    await raw.close();

    const server = await startOn();
    const reported = server.logged.filter(({ event }) => event === 'emails-ambiguous');
    expect(reported).toMatchObject([{ level: 'warn', users: 1 }]);
    // Nobody's address is in the log.
    expect(JSON.stringify(reported)).not.toContain('anna');
    expect(await emails()).toEqual([UNICODE, ASCII]);
    // Chromium also sends the second spelling for the first user.
    for (const [email, password] of [
      [UNICODE, 1],
      [ASCII, 1],
      [ASCII, 2],
    ] as const) {
      expect((await signIn(server, email, `${PASSWORD} ${password}`)).redirectPath).toBe('/portal');
    }
    expect((await signIn(server, UNICODE, `${PASSWORD} 2`)).status).toBe(422);
    expect((await signIn(server, ASCII, `${PASSWORD} 3`)).status).toBe(422);
    // The import gave the organization to the first user.
    await cli.json(`orgs create --user ${ASCII} --name Anna`);
    const { code, err } = await cli.run('export');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`postern users set-email --email ${ASCII} --new-email NEW_ADDRESS`),
    ]);
    const { out } = await cli.run('doctor');
    expect(out).toContain(`the same address: ${ASCII} and ${UNICODE}`);
    expect(out).toContain('postern users set-email --email OLD_ADDRESS --new-email NEW_ADDRESS');

    expect(await cli.json(`users set-email --email ${ASCII} --new-email anna2@example.com`)).toMatchObject({
      name: 'Anna 2',
    });
    expect((await signIn(server, ASCII, `${PASSWORD} 1`)).redirectPath).toBe('/portal');
    expect((await signIn(server, 'anna2@example.com', `${PASSWORD} 2`)).redirectPath).toBe('/portal');
    expect((await cli.run('export')).out).toContain('anna2@example.com');
    expect((await cli.run('doctor')).out).toContain('no address belongs to two users');
    await server.stop();
    const again = await startOn();
    expect(again.logged.filter(({ event }) => event === 'emails-ambiguous')).toEqual([]);
    await again.stop();
  });
});

describe('an import', () => {
  const target = useTarget();
  const document = (user: string, owner: string, members: readonly string[] = [BEN.email]) => ({
    ...DOCUMENT,
    users: [{ ...ANN, email: user }, BEN],
    organizations: [{ ...FRIENDS, owner, members }],
  });

  test('recognizes the users of a document in every spelling', async () => {
    await target.succeed(document(ASCII, UNICODE));
    expect(await target.exported()).toContain(UNICODE);
    expect(await target.exported()).not.toContain('xn--');
    expect(await target.succeed(document(UNICODE, ASCII), '')).toMatchObject({
      users: { created: 0, unchanged: 2 },
      organizations: { created: 0, unchanged: 1 },
    });
  });

  test('rejects a document that lists a user twice, and an invalid domain', async () => {
    const twice = { ...DOCUMENT, users: [ANN, { ...BEN, email: UNICODE }, { ...BEN, email: ASCII }] };
    for (const [given, path] of [
      [twice, '$.users[2].email'],
      [document('anna@xn--a.example', 'anna@xn--a.example'), '$.users[0].email'],
    ] as const) {
      const { code, out } = await target
        .cli()
        .run('import - --json --create-users', { stdin: JSON.stringify(given) });
      expect([code, JSON.parse(out).errors.map((error: { path: string }) => error.path)]).toEqual([
        1,
        expect.arrayContaining([path]),
      ]);
    }
  });
});
