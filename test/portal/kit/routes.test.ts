import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { FRESH_MS } from '../../../src/model/session.ts';
import type { StartedSession } from '../../../src/platform/authentication/sessions.ts';
import { TOKEN_FIELD } from '../../../src/portal/components/form.tsx';
import type { Guard } from '../../../src/portal/kit/guards.ts';
import type { Route } from '../../../src/portal/kit/route.ts';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import {
  addUser,
  type BrowserClient,
  createBrowserClient,
  formTokenOf,
  type PageResponse,
  signedIn,
  tokenIn,
} from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { examplePath } from './examples.ts';

/** Sends hostile requests to every route of the portal, including future ones. */

let server: TestServer;
let owner: Account;
let admin: Account;
let other: Account;

beforeAll(async () => {
  server = await startServer();
  owner = await addUser(server);
  other = await addUser(server);
  admin = await addUser(server, true);
});
afterAll(() => server.stop());

const isForAdmins = ({ guard }: Route) => ['admin', 'user', 'systemRule'].includes(guard);
const titled = (routes: readonly Route[]) => routes.map((one) => [`${one.method} ${one.path}`, one] as const);
const isGuarded = ({ guard }: Route) => guard !== 'public';
const posts = PORTAL_ROUTES.filter(({ method }) => method === 'POST');
const guarded = PORTAL_ROUTES.filter(isGuarded);

const tokenOf = (browser: StartedSession) => formTokenOf(server, browser);

/** The names in the paths of each guard. */
const NAMES: Readonly<Record<Guard, readonly string[]>> = {
  public: [],
  session: [],
  ownSession: ['session'],
  key: ['key'],
  organizationKey: ['org', 'orgKey'],
  ownedKey: ['org', 'orgKey'],
  task: ['task'],
  organizationTask: ['org', 'task'],
  organization: ['org'],
  property: ['org', 'property'],
  owner: ['org'],
  member: ['org', 'member'],
  invitation: ['org', 'invitation'],
  shareLink: ['org', 'property', 'link'],
  admin: [],
  user: ['user'],
  rule: ['org', 'property', 'rule'],
  systemRule: ['systemRule'],
};
const OWNER_GUARDS: readonly Guard[] = ['owner', 'member', 'invitation', 'ownedKey'];

async function ask(
  one: Route,
  browser: BrowserClient,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const path = await examplePath(one.path, server, owner);
  const before = await server.written();
  const shown = await (one.method === 'GET'
    ? browser.get(path, headers)
    : browser.post(path, fields, headers));
  return { shown, path, hasWritten: (await server.written()).commits !== before.commits };
}

/** A browser that the route admits, and the token for its forms. */
async function admitted(one: Route): Promise<BrowserClient & { readonly token: string }> {
  if (one.guard === 'public') {
    const browser = createBrowserClient(server);
    return { ...browser, token: tokenIn(await browser.get('/portal/login')) };
  }
  const browser = await signedIn(server, isForAdmins(one) ? admin : owner);
  return { ...browser, token: tokenOf(browser) };
}

function expectRejected(
  { shown, hasWritten }: { shown: PageResponse; hasWritten: boolean },
  status: number,
): void {
  expect([shown.status, shown.redirectPath]).toEqual([status, undefined]);
  expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(hasWritten).toBe(false);
}

/** Scripts request these without the user. */
const background = guarded.filter(({ isBackground }) => isBackground);
const requested = guarded.filter(({ isBackground }) => !isBackground);

describe('without a session', () => {
  test.each(titled(background))('%s returns 401', async (_, one) => {
    const { shown, hasWritten } = await ask(one, createBrowserClient(server));
    expect([shown.status, shown.text, hasWritten]).toEqual([401, '', false]);
  });

  test.each(titled(requested))('%s redirects to the sign-in page and stores nothing', async (_, one) => {
    const { shown, path, hasWritten } = await ask(one, createBrowserClient(server));
    expect([shown.status, shown.redirectPath]).toEqual([303, '/portal/login']);
    const back = new URL(shown.headers.get('location') ?? '', server.url).searchParams.get('return');
    expect(back).toBe(one.method === 'GET' && path !== '/portal' ? path : null);
    expect(hasWritten).toBe(false);
  });
});

describe('with an expired session', () => {
  test.each(titled(background))('%s returns 401', async (_, one) => {
    const browser = await admitted(one);
    const now = server.clock.now;
    server.clock.now = (now + 13 * 3_600_000) as Instant;
    const { shown, hasWritten } = await ask(one, browser);
    server.clock.now = now;
    expect([shown.status, shown.text, hasWritten]).toEqual([401, '', false]);
  });

  test.each(titled(requested))('%s asks the user to sign in and changes nothing', async (_, one) => {
    const browser = await admitted(one);
    const now = server.clock.now;
    server.clock.now = (now + 13 * 3_600_000) as Instant;
    const { shown, hasWritten } = await ask(one, browser, { [TOKEN_FIELD]: browser.token });
    server.clock.now = now;
    if (one.method === 'POST' && one.isHeld)
      expect([shown.status, shown.text.includes('action="/portal/login"')]).toEqual([403, true]);
    else expect([shown.status, shown.redirectPath]).toEqual([303, '/portal/login']);
    expect(hasWritten).toBe(false);
  });
});

describe('a form', () => {
  const FOREIGN: readonly Record<string, string>[] = [
    { Origin: 'https://evil.example.com' },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example.com' },
    { 'Sec-Fetch-Site': 'none', Origin: 'https://evil.example.com' },
    { Origin: 'https://evil.example.com', 'X-Forwarded-Host': 'evil.example.com' },
    { Origin: '' },
  ];

  test.each(titled(posts))(
    '%s from another origin is rejected, even with the correct token',
    async (_, one) => {
      const browser = await admitted(one);
      for (const headers of FOREIGN) {
        expectRejected(await ask(one, browser, { [TOKEN_FIELD]: browser.token }, headers), 403);
      }
    },
  );

  test.each(titled(posts))(
    '%s without its token, or with the token of another user, is rejected',
    async (_, one) => {
      const thief = await signedIn(server, other);
      const browser = await admitted(one);
      for (const token of [undefined, '', 'x', tokenOf(thief)]) {
        expectRejected(await ask(one, browser, token === undefined ? {} : { [TOKEN_FIELD]: token }), 403);
      }
    },
  );

  test.each(titled(posts))('%s with another content type or a large body is rejected', async (_, one) => {
    const browser = await admitted(one);
    const fields = { [TOKEN_FIELD]: browser.token };
    expectRejected(await ask(one, browser, fields, { 'Content-Type': 'text/plain' }), 415);
    expectRejected(await ask(one, browser, { ...fields, more: 'x'.repeat(70_000) }), 413);
  });
});

describe('names that every JavaScript object has', () => {
  // biome-ignore format: a list
  const FIELDS = ['action', 'actor', 'before', 'challenge', 'code', 'compare', 'contents', 'country', 'day', 'domain', 'expiry', 'from',
    'growth', 'keep_old', 'language', 'level', 'name', 'object', 'onload', 'org', 'page', 'plan', 'q', 'range', 'read_only', 'return', 'rules',
    'scope', 'show', 'sitekey', 'solution', 'sort', 'state', 'theme', 'to', 'token', 'validity', 'validity_unit', 'zone'];
  const fieldsOf = (value: string) => Object.fromEntries(FIELDS.map((name) => [name, value]));
  const harmless = PORTAL_ROUTES.filter(({ isDestructive }) => !isDestructive);

  test.each(titled(harmless))('%s handles them as values of fields', async (_, one) => {
    const errors = server.logged.length;
    for (const value of ['constructor', '__proto__', 'toString']) {
      const browser = await admitted(one);
      const path = await examplePath(one.path, server, owner);
      const fields = fieldsOf(value);
      const shown = await (one.method === 'GET'
        ? browser.get(`${path}?${new URLSearchParams(fields)}`)
        : browser.post(path, { ...fields, [TOKEN_FIELD]: browser.token }));
      expect([value, shown.status, shown.status < 500]).toEqual([value, shown.status, true]);
    }
    expect(server.logged.slice(errors).filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a sensitive route', () => {
  const sensitive = PORTAL_ROUTES.filter(({ isSensitive }) => isSensitive);

  test.each(titled(sensitive))('%s asks for the password if it was not entered recently', async (_, one) => {
    const browser = await admitted(one);
    const now = server.clock.now;
    server.clock.now = (now + FRESH_MS) as Instant;
    // Using the session extends it, which is the only write allowed.
    await browser.get('/portal');
    const { shown, hasWritten } = await ask(one, browser, { [TOKEN_FIELD]: browser.token });
    server.clock.now = now;
    if (one.method === 'GET') expect([shown.status, shown.redirectPath]).toEqual([303, '/portal/confirm']);
    else expect([shown.status, shown.text.includes('action="/portal/confirm"')]).toEqual([403, true]);
    expect(hasWritten).toBe(false);
  });
});

describe('during maintenance', () => {
  test.each(titled(posts))('%s changes nothing, unless it is always open', async (_, one) => {
    const browser = await admitted(one);
    await server.app.services.maintenance.set(INSTALLATION, true);
    const { shown, hasWritten } = await ask(one, browser, { [TOKEN_FIELD]: browser.token });
    await server.app.services.maintenance.set(INSTALLATION, false);
    expect(shown.status === 503).toBe(!one.isAlwaysOpen);
    if (!one.isAlwaysOpen) expect([shown.text.includes('In maintenance'), hasWritten]).toEqual([true, false]);
  });

  test('only these forms are accepted', () => {
    const taken = PORTAL_ROUTES.filter(({ isAlwaysOpen }) => isAlwaysOpen).map(({ path }) => path);
    expect(taken.toSorted()).toEqual(
      [
        '/portal/setup/open',
        '/portal/login',
        '/portal/login/code',
        '/portal/preferences',
        '/portal/logout',
        '/portal/confirm',
        '/portal/invitation/open',
        '/portal/invitation/sign-out',
        '/portal/settings/security/sessions/end-others',
        '/portal/settings/security/sessions/:session/end',
        '/portal/settings/api-keys/:key/revoke',
        '/portal/settings/api-keys/:key/end-old',
        '/portal/orgs/:org/api-keys/:orgKey/revoke',
        '/portal/orgs/:org/api-keys/:orgKey/end-old',
        '/portal/password/open',
        '/portal/system/maintenance',
        '/portal/system/users/end-sessions',
        '/portal/system/users/:user/end-sessions',
        '/portal/system/users/:user/disable',
      ].toSorted(),
    );
  });
});

describe('a route for administrators', () => {
  const forAdmins = PORTAL_ROUTES.filter(isForAdmins);

  test('rejects other users, for each page and each form', async () => {
    for (const one of forAdmins) {
      const browser = await signedIn(server, owner);
      const { shown, hasWritten } = await ask(one, browser, { [TOKEN_FIELD]: tokenOf(browser) });
      expect([one.path, shown.status, hasWritten]).toEqual([one.path, 403, false]);
    }
  });
});

describe('an object that the path names', () => {
  // Anyone who has a share link sees its page: see propertyShare.test.ts.
  const named = PORTAL_ROUTES.filter(({ path, isShared }) => path.includes(':') && !isShared);

  test.each(titled(named))('%s has a guard that loads it', (_, one) => {
    const names = [...one.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    expect([one.path, NAMES[one.guard]]).toEqual([one.path, names]);
  });

  test.each(titled(named.filter((one) => !isForAdmins(one))))(
    '%s is not found by other users, and does not change',
    async (_, one) => {
      const stranger = await signedIn(server, other);
      const fields = { [TOKEN_FIELD]: tokenOf(stranger) };
      expectRejected(await ask(one, stranger, fields), 404);
      const nonsense = one.path.replaceAll(/:\w+/g, 'AAAAAAAAAAAAAAAAAAAAAA');
      const shown = await (one.method === 'GET' ? stranger.get(nonsense) : stranger.post(nonsense, fields));
      expect(shown.status).toBe(404);
    },
  );
});

describe('a page that only the owner of an organization may use', () => {
  const forOwners = PORTAL_ROUTES.filter(({ guard }) => OWNER_GUARDS.includes(guard));

  test.each(titled(forOwners))('%s rejects members', async (_, one) => {
    const { services } = server.app;
    const path = await examplePath(one.path, server, owner);
    const sealed = /orgs\/([^/]+)/.exec(path)?.[1] ?? '';
    const organization = services.ids.open('organization', sealed);
    if (organization === undefined) throw new Error(`no organization in ${path}`);
    const member = await addUser(server);
    expectOk(await services.members.add(INSTALLATION, organization, member));
    const browser = await signedIn(server, member);
    const { commits } = await server.written();
    const shown = await (one.method === 'GET'
      ? browser.get(path)
      : browser.post(path, { [TOKEN_FIELD]: tokenOf(browser) }));
    expectRejected({ shown, hasWritten: (await server.written()).commits !== commits }, 403);
  });
});

test('forms with the correct token and origin are accepted', async () => {
  for (const one of posts) {
    const browser = await admitted(one);
    const { shown } = await ask(one, browser, { [TOKEN_FIELD]: browser.token });
    expect([one.path, shown.status === 403]).toEqual([one.path, false]);
  }
});

describe('every page', () => {
  test.each(titled(PORTAL_ROUTES.filter(({ method }) => method === 'GET')))(
    '%s is not cached, cannot be framed, and loads nothing from other origins',
    async (_, one) => {
      const browser = isGuarded(one) ? await admitted(one) : createBrowserClient(server);
      const { shown } = await ask(one, browser);
      expect(shown.headers.get('cache-control')).toBe('no-store');
      expect(shown.headers.get('referrer-policy')).toBe(one.isShared ? 'no-referrer' : 'same-origin');
      expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
      const policy = shown.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^(?=.*default-src 'none')(?=.*frame-ancestors 'none')(?=.*form-action 'self')/);
      expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'/);
      expect(shown.text).not.toMatch(/ style=| on\w+=|<script>|(?:src|href|action)="(?:https?:)?\/\//);
    },
  );
});

describe('a failed page', () => {
  test('shows an error page without internal details', async () => {
    const broken = await startServer();
    const browser = await signedIn(broken, await addUser(broken));
    await broken.raw.query('ALTER TABLE sessions RENAME TO elsewhere');
    const shown = await browser.get('/portal');
    expect([shown.status, shown.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(shown.text).toContain('Something went wrong');
    expect(shown.text).not.toMatch(/sessions|sqlite|SELECT|\.ts/i);
    expect(broken.logged.at(-1)).toMatchObject({ event: 'request-failed', path: '/portal' });
    await broken.stop();
  });
});

describe('unknown paths of the portal', () => {
  test('return a page with status 404', async () => {
    const shown = await createBrowserClient(server).get('/portal/nothing/here');
    expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(shown.text).not.toContain('action="/portal/logout"');
  });

  test('keep the navigation for a user who is signed in', async () => {
    const browser = await signedIn(server, await addUser(server));
    const shown = await browser.get('/portal/nothing/here');
    expect([shown.status, shown.text.includes('href="/portal/orgs"')]).toEqual([404, true]);
    const out = await browser.post('/portal/logout', { form_token: tokenIn(shown) });
    expect(out.redirectPath).toBe('/portal/login');
    expect((await browser.get('/portal')).redirectPath).toBe('/portal/login');
  });
});
