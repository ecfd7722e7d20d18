import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import { userActor } from '../../support/actors.ts';
import { addUser, createBrowserClient, PASSWORD, tokenIn } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';

/** Links with one-time tokens keep them out of the requests that proxies log. */

let server: TestServer;
let fresh: TestServer;
let owner: Account;
let invitation: string;
let password: string;

beforeAll(async () => {
  server = await startServer();
  fresh = await startServer();
  owner = await addUser(server, true);
  const { services } = server.app;
  const { id } = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Team', ownerId: owner.id }),
  );
  const actor = userActor(owner);
  invitation = expectOk(await services.invitations.invite(actor, id, 'guest@example.com')).token;
  password = expectOk(
    await services.authentication.passwordLinks.issue(portalActor(owner, undefined), owner.id),
  );
});
afterAll(async () => {
  await server.stop();
  await fresh.stop();
});

const setUpToken = () => fresh.app.setupLink?.split('#token=')[1] ?? '';

/** For each kind: the server, a token that works, and what the page behind it shows. */
const KINDS = [
  ['setup', () => fresh, setUpToken, 'Create first user'],
  ['invitation', () => server, () => invitation, 'invites you to'],
  ['password', () => server, () => password, 'Set password'],
] as const;

describe.each(KINDS)('a link to /portal/%s', (kind, at, token, content) => {
  const path = `/portal/${kind}`;

  async function opened(link: string) {
    const browser = createBrowserClient(at());
    const form_token = tokenIn(await browser.get(path));
    return { browser, answer: await browser.post(`${path}/open`, { form_token, link }) };
  }

  test('opens by POST, and no later URL contains the token', async () => {
    const { browser, answer } = await opened(token());
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    const shown = await browser.follow(answer);
    expect([shown.status, shown.text.includes(content)]).toEqual([200, true]);
    const addresses = [...shown.text.matchAll(/(?:href|action|src)="([^"]*)"/g)].map(([, one]) => one);
    expect(addresses.filter((one) => one?.includes(token()))).toEqual([]);
    // A page that is loaded again still knows it.
    expect((await browser.get(path)).text).toContain(content);
  });

  test.each([
    ['the complete link', (one: string) => `https://captcha.example.com${path}#token=${one}`],
    ['the token with spaces around it', (one: string) => ` ${one}\n`],
    ['a link of an earlier version', (one: string) => `https://captcha.example.com${path}?token=${one}`],
  ])('opens from %s, pasted into the page without scripts', async (_, write) => {
    const { browser, answer } = await opened(write(token()));
    expect((await browser.follow(answer)).text).toContain(content);
  });

  test('has the field for the link and the script that reads the fragment', async () => {
    const { text } = await createBrowserClient(at()).get(path);
    expect(text).toContain('Paste the whole link');
    expect(text).not.toContain('<div hidden');
    expect(text).toMatch(/<script src="\/portal\/link\.[0-9a-f]{16}\.js" defer=""/);
  });

  test('does not open from a query, because such a token would be in proxy logs', async () => {
    const shown = await createBrowserClient(at()).get(`${path}?token=${token()}`);
    expect(shown.status).toBe(200);
    expect(shown.text).not.toContain(content);
    expect(shown.text).not.toContain(token());
    expect(shown.text).toContain('Paste the whole link');
  });

  test.each(['', ' ', 'no link', '<b>', 'x'.repeat(129), `#token=${'y'.repeat(3000)}`])(
    'asks again for %p, and writes nothing',
    async (link) => {
      const before = await at().written();
      const { answer } = await opened(link);
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('This is not a link or a token of this server.');
      expect(answer.headers.getSetCookie().some((one) => one.startsWith('postern-link='))).toBe(false);
      expect(await at().written()).toEqual(before);
    },
  );
});

test('a token of one kind does not open a page of another kind', async () => {
  const browser = createBrowserClient(server);
  await browser.get(`/portal/invitation#token=${invitation}`);
  expect((await browser.get('/portal/password')).text).not.toContain('Set password');
});

test('the cookie of a link is for this server only and lasts an hour', async () => {
  const browser = createBrowserClient(server);
  const form_token = tokenIn(await browser.get('/portal/invitation'));
  const answer = await browser.post('/portal/invitation/open', { form_token, link: invitation });
  const [cookie = ''] = answer.headers.getSetCookie().filter((one) => one.startsWith('postern-link='));
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600$/);
});

test('choosing a password ends the link, and the browser deletes its token', async () => {
  const ben = await addUser(server);
  const token = expectOk(
    await server.app.services.authentication.passwordLinks.issue(portalActor(owner, undefined), ben.id),
  );
  const browser = createBrowserClient(server);
  const done = await browser.fill(`/portal/password#token=${token}`, { password: `${PASSWORD} again` });
  expect(done.redirectPath).toBe('/portal/login');
  expect(browser.cookies.has('postern-link')).toBe(false);
});
