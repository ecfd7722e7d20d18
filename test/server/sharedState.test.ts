import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { COUNTER, type Hour, toHour } from '../../src/model/statistics.ts';
import { codeOf } from '../support/authenticator.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  PASSWORD,
  type PageResponse,
  signedIn,
  tokenIn,
} from '../support/portal.ts';
import type { DatabaseAddress } from '../support/postgres.ts';
import { startRelay } from '../support/relay.ts';
import { addTenant, startServer, type TestServer } from '../support/server.ts';
import { migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { fetchPuzzle } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** Two servers on one PostgreSQL database. */

type Nodes = readonly [TestServer, TestServer];

let address: DatabaseAddress;
let nodes: Nodes;

async function startNodes(database: DatabaseAddress): Promise<Nodes> {
  return Promise.all([startServer({ database }), startServer({ database })]);
}

async function stopNodes(stopped: Nodes, database: DatabaseAddress): Promise<void> {
  await Promise.all(stopped.map(({ stop }) => stop()));
  await (await sharedPostgres()).dropDatabase(database);
}

beforeAll(async () => {
  address = await migratedDatabase();
  nodes = await startNodes(address);
});
afterAll(() => stopNodes(nodes, address));

const turn = (milliseconds: number) => {
  for (const { clock } of nodes) clock.now = (clock.now + milliseconds) as Instant;
};

/** The same browser, whose next requests reach another server. */
function moved(browser: BrowserClient, server: TestServer): BrowserClient {
  const other = createBrowserClient(server);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}

const signIn = (browser: BrowserClient, email: string, password = PASSWORD) =>
  browser.fill('/portal/login', { email, password });

describe('signing in', () => {
  test('on one server takes effect on the other, and so does signing out', async () => {
    const [one, other] = nodes;
    const { email } = await addUser(one);
    const browser = createBrowserClient(one);
    expect((await signIn(browser, email)).redirectPath).toBe('/portal');
    const there = moved(browser, other);
    expect((await there.get('/portal/settings/profile')).text).toContain(email);
    const token = tokenIn(await there.get('/portal/settings/profile'));
    expect((await there.post('/portal/logout', { form_token: token })).status).toBe(303);
    expect((await browser.get('/portal/settings/profile')).redirectPath).toBe('/portal/login');
  });

  test('can continue with the code on the other server, and each code works on only one of them', async () => {
    const [one, other] = nodes;
    const path = '/portal/settings/security/two-factor';
    const account = await addUser(one);
    const browser = await signedIn(one, account);
    await browser.fill(path, {}, `${path}/begin`);
    const there = moved(browser, other);
    const secret = /<code id="secret">([A-Z2-7 ]*)<\/code>/.exec((await there.get(path)).text)?.[1] ?? '';
    await there.fill(path, { code: codeOf(secret, other.clock.now) });
    turn(30_000);
    const browsers = [createBrowserClient(one), createBrowserClient(one)];
    for (const each of browsers)
      expect((await signIn(each, account.email)).redirectPath).toBe('/portal/login/code');
    const code = codeOf(secret, one.clock.now);
    const shown = await Promise.all(
      browsers.map((each, n) => moved(each, nodes[n] ?? one).fill('/portal/login/code', { code })),
    );
    expect(shown.map(({ status }) => status).toSorted()).toEqual([303, 422]);
  });

  test('is throttled after failures that were spread over the servers', async () => {
    const { email } = await addUser(nodes[0]);
    const browsers = nodes.map((node) => createBrowserClient(node));
    const statuses = [];
    for (const browser of [...browsers, ...browsers, ...browsers])
      statuses.push((await signIn(browser, email, 'wrong password')).status);
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
    for (const browser of browsers) expect((await signIn(browser, email)).status).toBe(429);
    turn(1000);
    expect((await signIn(browsers[1] as BrowserClient, email)).status).toBe(303);
    turn(3_600_000);
  });

  test('on all servers at once does not exceed the limit', async () => {
    const { email } = await addUser(nodes[0]);
    const browsers = nodes.map((node) => createBrowserClient(node));
    for (const browser of browsers) await browser.get('/portal/login');
    const attempts = Array.from({ length: 12 }, (_, n) =>
      signIn(browsers[n % 2] as BrowserClient, email, 'wrong password'),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    turn(3_600_000);
  });

  test('stores neither the address of the client nor an unknown email address', async () => {
    const [one] = nodes;
    await signIn(createBrowserClient(one), 'secret-typed-here@example.com', 'wrong password');
    const rows = await one.raw.query<{ hash: string }>('SELECT key_hash AS hash FROM failed_attempts');
    expect(rows.length).toBeGreaterThan(0);
    for (const { hash } of rows) expect(hash).toMatch(/^[A-Za-z0-9_-]{43}$/);
    turn(3_600_000);
  });
});

test('a form that is sent to both servers at once creates one API key', async () => {
  const [one, other] = nodes;
  const account = await addUser(one);
  const browser = await signedIn(one, account);
  const path = '/portal/settings/api-keys/new';
  const { text } = await browser.get(path);
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = {
    ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
    ...{ name: 'Shop', scope: 'verify', organization: '', expiry: 'never', day: '' },
  };
  const there = moved(browser, other);
  const shown = await Promise.all([browser, there, browser, there].map((each) => each.post(path, fields)));
  expect(shown.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422]);
  expect(await one.app.services.apiKeys.list(INSTALLATION, account)).toHaveLength(1);
});

describe('the setup link', () => {
  const GOOD = { name: 'Ann', password: PASSWORD, organization: 'My shops' };
  const pathOf = ({ app }: TestServer) => {
    const { pathname, hash } = new URL(app.setupLink ?? 'http://nowhere.example.com/');
    return `${pathname}${hash}`;
  };

  test('of each server works on both, and creates one administrator', async () => {
    const database = await migratedDatabase();
    const fresh = await startNodes(database);
    const [one, other] = fresh;
    expect(pathOf(one)).toMatch(/^\/portal\/setup#token=[A-Za-z0-9_-]{43}$/);
    expect(pathOf(other)).toBe(pathOf(one));
    const browsers = fresh.map((server) => createBrowserClient(server));
    for (const browser of browsers) {
      const { text } = await browser.get('/portal/setup');
      expect(text).toContain('All nodes print the same link each time they start.');
      const wrong = await browser.get('/portal/setup#token=wrong');
      expect(wrong.text).toContain('This is not the setup link.');
      for (const shown of [text, wrong.text]) expect(shown).not.toMatch(/newest|new link/);
    }
    // Both forms are open before one of them is sent.
    const forms = await Promise.all(browsers.map((browser) => browser.get(pathOf(one))));
    const shown = await Promise.all(
      browsers.map((browser, n) =>
        browser.submit(forms[n] as PageResponse, { ...GOOD, email: `user${n}@example.com` }),
      ),
    );
    const isDone = ({ redirectPath }: { redirectPath: string | undefined }) =>
      redirectPath === '/portal/first-property';
    expect(shown.filter(isDone)).toHaveLength(1);
    expect(await other.app.services.users.list(INSTALLATION)).toHaveLength(1);
    expect((await createBrowserClient(other).get(pathOf(one))).redirectPath).toBe('/portal/login');
    await stopNodes(fresh, database);
  });
});

test('two servers that start at the same time on an empty database create the same objects once', async () => {
  const database = await (await sharedPostgres()).createDatabase();
  const admin = { POSTERN_ADMIN_EMAIL: 'ann@example.com', POSTERN_ADMIN_PASSWORD: PASSWORD };
  const settings = { POSTERN_DEMO: 'on', ...admin };
  const fresh = await Promise.all([0, 1].map(() => startServer({ database, settings })));
  const [one, other] = fresh as [TestServer, TestServer];
  expect(one.app.firstStart.demo).toEqual(other.app.firstStart.demo);
  expect(one.app.firstStart.demo).toBeDefined();
  const { users, apiKeys, stores } = one.app.services;
  const accounts = await users.list(INSTALLATION);
  expect(accounts.map(({ email }): string => email).toSorted()).toEqual([
    'ann@example.com',
    'demo@example.com',
  ]);
  expect(await apiKeys.list(INSTALLATION)).toHaveLength(2);
  const rows = await one.raw.query('SELECT 1 FROM properties');
  expect(rows).toHaveLength(1);
  expect(await stores.properties.bySitekey(one.app.firstStart.demo?.sitekey as Sitekey)).toBeDefined();
  await stopNodes([one, other], database);
});

test('a job that starts on both servers at the same time runs once', async () => {
  let runs = 0;
  const isOver = Promise.withResolvers<void>();
  const all = nodes.map(({ app }) =>
    app.services.shared.exclusively('test', async () => {
      runs++;
      await isOver.promise;
      return 'done';
    }),
  );
  await Promise.race(all);
  isOver.resolve();
  expect((await Promise.all(all)).toSorted()).toEqual(['done', undefined]);
  expect(runs).toBe(1);
});

test('maintenance mode applies to both servers', async () => {
  const [one, other] = nodes;
  const { maintenance } = one.app.services;
  for (const isOn of [true, false]) {
    await maintenance.set(INSTALLATION, isOn);
    await waitUntil(`maintenance: ${isOn}`, () => other.app.services.maintenance.isOn() === isOn);
  }
});

test('the statistics contain the events of both servers once', async () => {
  const [one, other] = nodes;
  const { property } = await addTenant(one);
  for (const server of [one, one, other, other, other]) await fetchPuzzle(server.url, property.sitekey);
  for (let n = 0; n < 2; n++) await Promise.all(nodes.map(({ app }) => app.flush()));
  const hour = toHour(one.clock.now);
  const { statistics } = other.app.services.stores;
  const hours = await statistics.byHour({ property: property.id }, (hour - 1) as Hour, (hour + 1) as Hour);
  expect(hours.reduce((sum, { counts }) => sum + (counts[COUNTER.issued] as number), 0)).toBe(5);
});

test('without the database, forms that need the shared state are answered with 503', async () => {
  const relay = startRelay(address.port);
  const url = address.url.replace(`:${address.port}/`, `:${relay.port}/`);
  const server = await startServer({ database: { ...address, url } });
  const account = await addUser(server);
  const browser = createBrowserClient(server);
  await browser.get('/portal/login');
  const token = tokenIn(await browser.get('/portal/login'));
  const fields = { email: account.email, password: PASSWORD, form_token: token };
  relay.stop();
  const shown = await browser.post('/portal/login', fields);
  expect([shown.status, shown.headers.has('set-cookie')]).toEqual([503, false]);
  await server.stop();
});
