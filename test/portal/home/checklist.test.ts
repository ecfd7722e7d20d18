import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, type Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { COUNTER, COUNTS_SIZE, toHour } from '../../../src/model/statistics.ts';
import { addUser, type BrowserClient, signedIn, tokenIn } from '../../support/portal.ts';
import { addKey, expectOk, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const services = () => server.app.services;

/** The steps and whether they are done; undefined without the list. */
async function stepsOf(browser: BrowserClient, headers: Record<string, string> = {}) {
  const { text } = await browser.get('/portal', headers);
  const [, list] = /<section class="card attention checklist">([\s\S]*?)<\/section>/.exec(text) ?? [];
  const items = [...(list ?? '').matchAll(/<li( class="done")?>[\s\S]*?<p>(?:<a href="[^"]*">)?([^<]*)/g)];
  return list === undefined
    ? undefined
    : Object.fromEntries(items.map(([, done, name = '']) => [name, done !== undefined]));
}

async function addVerifiedProperty(owner: Account): Promise<void> {
  const { id } = expectOk(
    await services().organizations.create(INSTALLATION, { name: 'Any', ownerId: owner.id }),
  );
  const draft = { organizationId: id, name: 'Form', domain: 'example.com' };
  const { sitekey } = expectOk(await services().properties.create(INSTALLATION, draft));
  const counts = new Array<number>(COUNTS_SIZE).fill(0);
  counts[COUNTER.verified] = 1;
  await services().stores.statistics.add([{ sitekey, hour: toHour(server.clock.now), counts }]);
  for (let after: number | undefined = 0; after !== undefined; )
    after = await services().stores.statistics.summarize(toHour(server.clock.now), after);
}

describe('the checklist on the start page', () => {
  test('shows what the data proves, and nothing when all is done', async () => {
    const ann = await addUser(server);
    const browser = await signedIn(server, ann);
    const names = [
      'Create a property',
      'Create an API key for your backend',
      'Verify a solution in your backend',
      'Set up two-factor authentication',
    ];
    expect(await stepsOf(browser)).toEqual(Object.fromEntries(names.map((name) => [name, false])));
    await addKey(services(), ann, 'portal');
    expect(await stepsOf(browser)).toMatchObject({ [names[1] ?? '']: false });
    await addKey(services(), ann, 'verify');
    expect(await stepsOf(browser)).toMatchObject({ [names[1] ?? '']: true });
    await addVerifiedProperty(ann);
    expect(Object.values((await stepsOf(browser)) ?? {})).toEqual([true, true, true, false]);
    await services().stores.twoFactor.start(
      { id: browser.session.id, accountId: ann.id },
      new Uint8Array(1),
      server.clock.now,
    );
    await services().stores.twoFactor.confirm({ id: browser.session.id, accountId: ann.id }, 1, []);
    expect(await stepsOf(browser)).toBeUndefined();
  });

  test('can be dismissed by each user, on every browser', async () => {
    const [ann, ben] = [await addUser(server), await addUser(server)];
    const [browser, other] = [await signedIn(server, ann), await signedIn(server, ben)];
    const token = tokenIn(await browser.get('/portal'));
    const { status, redirectPath } = await browser.post('/portal/checklist/dismiss', { form_token: token });
    expect([status, redirectPath]).toEqual([303, '/portal']);
    expect(await stepsOf(await signedIn(server, ann))).toBeUndefined();
    expect(await stepsOf(other)).toBeDefined();
  });

  test('includes a backup and the proxy for administrators', async () => {
    const browser = await signedIn(server, await addUser(server, true));
    const backup = 'Back up the data, at least every seven days';
    const proxy = 'Check that the server sees client addresses';
    expect(await stepsOf(browser)).toMatchObject({ [backup]: false, [proxy]: true });
    // Without trusted proxies, the server ignores the header of a proxy.
    expect(await stepsOf(browser, { 'x-forwarded-for': '203.0.113.7' })).toMatchObject({ [proxy]: false });
  });

  test('a backup counts for a week', async () => {
    const admin = await addUser(server, true);
    const before = server.clock.now;
    const signingKey = { fingerprint: new Uint8Array(4), secret: new Uint8Array(32), createdAt: before };
    await services().stores.installation.completeRestore({ signingKey, usedStep: 1, backupAt: before });
    const isDone = async () =>
      (await stepsOf(await signedIn(server, admin)))?.['Back up the data, at least every seven days'];
    server.clock.now = (before + 6 * DAY) as Instant;
    expect(await isDone()).toBe(true);
    server.clock.now = (before + 8 * DAY) as Instant;
    expect(await isDone()).toBe(false);
    server.clock.now = before;
  });

  test('the page about the system shows the last and the next run of each job', async () => {
    const browser = await signedIn(server, await addUser(server, true));
    const { text } = await browser.get('/portal/system');
    expect(text).toContain('Backups and background jobs');
    expect(text).toContain('<code class="long">purge-claims</code>');
    expect(text).toMatch(/<dt>Newest backup<\/dt><dd>(?:None|<time )/);
  });
});
