import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addUser, createBrowserClient, PASSWORD, tokenIn } from '../../support/portal.ts';
import { addTenant, startServer, type TestServer } from '../../support/server.ts';
import { describeSqlite } from '../../support/testStorage.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

const pathOf = (link: string | undefined) => {
  const { pathname, hash } = new URL(link ?? 'http://nowhere.example.com/');
  return `${pathname}${hash}`;
};
const GOOD = { name: 'Ann', email: 'Ann@Example.com', password: PASSWORD, organization: 'My shops' };

describe('the setup', () => {
  test('has a link with 256 random bits, and every page redirects to it', async () => {
    expect(server.app.setupLink).toMatch(/\/portal\/setup#token=[A-Za-z0-9_-]{43}$/);
    const browser = createBrowserClient(server);
    const root = await browser.get('/');
    expect([root.status, root.redirectPath]).toEqual([302, '/portal']);
    expect((await browser.follow(root)).redirectPath).toBe('/portal/setup');
    expect((await browser.get('/portal/login')).redirectPath).toBe('/portal/setup');
    const told = await browser.get('/portal/setup');
    expect(told.status).toBe(200);
    expect(told.text).toContain('printed a setup link to its standard output');
    expect(told.text).toContain(
      'Each start of the server prints a new link and invalidates the previous one.',
    );
    expect(told.text).not.toContain('name="email"');
  });

  test('creates an administrator with an organization, signs in, and never opens again', async () => {
    const browser = createBrowserClient(server);
    const path = pathOf(server.app.setupLink);
    const done = await browser.fill(path, GOOD);
    expect(done.redirectPath).toBe('/portal/first-property');
    expect((await browser.get('/portal/orgs')).text).toContain('My shops');
    const { services } = server.app;
    const [account, ...others] = await services.users.list(INSTALLATION);
    expect(account).toMatchObject({ email: 'ann@example.com', isAdmin: true });
    expect(others).toEqual([]);
    expect((await services.organizations.list(INSTALLATION, account)).map(({ name }) => name)).toEqual([
      'My shops',
    ]);
    expect((await createBrowserClient(server).get(path)).redirectPath).toBe('/portal/login');
    const late = createBrowserClient(server);
    const token = tokenIn(await late.get('/portal/login'));
    const query = new URLSearchParams(path.split('#')[1]);
    const again = { ...GOOD, email: 'eve@example.com', token: query.get('token') ?? '', form_token: token };
    expect((await late.post('/portal/setup', again)).redirectPath).toBe('/portal/login');
    expect(await services.users.list(INSTALLATION)).toHaveLength(1);
  });

  test('happens once if two users send the form at the same moment', async () => {
    const path = pathOf(server.app.setupLink);
    // Both see the form first: a setup that is complete has no form.
    const opened = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const browser = createBrowserClient(server);
        const shown = await browser.get(path);
        return () => browser.submit(shown, { ...GOOD, email: `${name}@example.com` });
      }),
    );
    const sent = await Promise.all(opened.map((send) => send()));
    expect(sent.filter(({ redirectPath }) => redirectPath === '/portal/first-property')).toHaveLength(1);
    // The other user has to try again while the first password is hashed. Afterward, the setup is closed.
    const again = await Promise.all(opened.map((send) => send()));
    expect(again.map(({ redirectPath }) => redirectPath)).toEqual(['/portal/login', '/portal/login']);
    expect(await server.app.services.users.list(INSTALLATION)).toHaveLength(1);
    expect(await server.app.services.organizations.list(INSTALLATION)).toHaveLength(1);
  });

  test('rejects a wrong token with a page and creates nothing', async () => {
    const browser = createBrowserClient(server);
    expect((await browser.get('/portal/setup#token=wrong')).status).toBe(403);
    const path = pathOf(server.app.setupLink);
    expect((await browser.fill(path, { ...GOOD, token: 'wrong' })).status).toBe(403);
    expect(await server.app.services.users.list(INSTALLATION)).toEqual([]);
  });

  test.each([
    [{ email: 'no address' }, 'email', 'This is not a valid email address.'],
    [{ password: '1234567' }, 'password', 'A password must have at least 8 characters.'],
    [{ password: 'Password1' }, 'password', 'common or repeats a short pattern'],
    [{ password: 'myshops-2026' }, 'password', 'is too easy to guess'],
    [{ organization: ' ' }, 'organization', 'The organization needs a name.'],
    [{ organization: '<b>' }, 'organization', 'characters that are not allowed'],
  ])('shows the form again for %j, with the entered values', async (change, field, sentence) => {
    const shown = await createBrowserClient(server).fill(pathOf(server.app.setupLink), {
      ...GOOD,
      ...change,
    });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain(`<a href="#${field}">`);
    expect(shown.text).toContain(`aria-describedby="${field}`);
    expect(shown.text).toContain(sentence);
    expect(shown.text).not.toContain(PASSWORD);
    if (!('email' in change)) expect(shown.text).toContain('value="Ann@Example.com"');
    expect(await server.app.services.users.list(INSTALLATION)).toEqual([]);
  });

  test('shows all errors at once', async () => {
    const fields = { name: ' ', email: 'x', password: 'x', organization: '' };
    const { text } = await createBrowserClient(server).fill(pathOf(server.app.setupLink), fields);
    expect([...text.matchAll(/<li><a href="#(\w+)">/g)].map(([, field]) => field)).toEqual([
      'name',
      'email',
      'password',
      'organization',
    ]);
  });

  test('stays open while no user has a password; existing email addresses are rejected', async () => {
    const { account } = await addTenant(server);
    const shown = await createBrowserClient(server).fill(pathOf(server.app.setupLink), {
      ...GOOD,
      email: account.email,
    });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('A user with this email address already exists.');
  });

  test('is complete as soon as a user has a password', async () => {
    const path = pathOf(server.app.setupLink);
    await addUser(server);
    expect((await createBrowserClient(server).get(path)).redirectPath).toBe('/portal/login');
  });
});

// Nodes that share a PostgreSQL database have the same link: test/server/sharedState.test.ts.
describeSqlite('a start of the server on SQLite', () => {
  test('creates a new link and invalidates the previous one', async () => {
    const { dataDir } = server;
    const first = pathOf(server.app.setupLink);
    const second = await startServer({ dataDir });
    expect(pathOf(second.app.setupLink)).not.toBe(first);
    expect((await createBrowserClient(second).get(first)).status).toBe(403);
    await second.stop();
  });
});

describe('a start of the server', () => {
  test('with a configured administrator needs no setup', async () => {
    const settings = { POSTERN_ADMIN_EMAIL: 'root@example.com', POSTERN_ADMIN_PASSWORD: PASSWORD };
    const ready = await startServer({ settings });
    expect(ready.app.setupLink).toBeUndefined();
    expect((await createBrowserClient(ready).get('/portal/setup')).redirectPath).toBe('/portal/login');
    await ready.stop();
  });

  test('with the demo shows a page at / that links to the demo, and the portal waits for its first user', async () => {
    const demo = await startServer({ settings: { POSTERN_DEMO: 'on' } });
    expect((await createBrowserClient(demo).get('/')).text).toContain('href="/demo"');
    expect(demo.app.setupLink).toBeDefined();
    const done = await createBrowserClient(demo).fill(pathOf(demo.app.setupLink), GOOD);
    expect(done.redirectPath).toBe('/portal/first-property');
    await demo.stop();
  });
});
