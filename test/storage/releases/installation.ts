import { DAY, type Instant, later, MINUTE } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { COMMAND_LINE, portalActor } from '../../../src/model/actor.ts';
import { type Hour, toHour } from '../../../src/model/statistics.ts';
import { codeOf } from '../../support/authenticator.ts';
import { api } from '../../support/platform.ts';
import { createBrowserClient } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { waitUntil } from '../../support/waitUntil.ts';

/** When the installation was used; the tests continue a minute later. */
const NOW = Date.UTC(2026, 10, 22, 12) as Instant;

export const CONTINUED_AT = later(NOW, MINUTE);

export const EMAIL = 'ann@example.com';
export const PASSWORD = 'correct horse battery';
export const PORTAL_KEY = 'postern-test-portal-key-0123456789abcdef';
export const VERIFY_KEY = 'postern-test-verify-key-0123456789abcdef';

const SETTINGS = {
  POSTERN_DNS_CHECK: 'off',
  POSTERN_ADMIN_EMAIL: EMAIL,
  POSTERN_ADMIN_PASSWORD: PASSWORD,
  POSTERN_PORTAL_KEY: PORTAL_KEY,
  POSTERN_VERIFY_KEY: VERIFY_KEY,
};

/** Secrets and ids that cannot be read from the databases. */
export type Known = {
  readonly sitekey: string;
  readonly taskId: string;
  /** Payloads: verified, verified with an idempotency key, and solved but not verified. */
  readonly spent: string;
  readonly repeated: string;
  readonly fresh: string;
  readonly idempotencyKey: string;
  readonly limitedKey: string;
  readonly revokedKey: string;
  readonly recoveryCode: string;
  readonly session: string;
  readonly invitationToken: string;
};

/** Creates an installation with data in every table of both databases, through the server. */
export async function createInstallation(dataDir: string): Promise<Known> {
  const server = await startServer({ dataDir, settings: SETTINGS, now: later(NOW, -45 * DAY) });
  try {
    const { org, sitekey, taskId } = await addProperties(server);
    for (let n = 0; n < 3; n++)
      await verify(server.url, VERIFY_KEY, await fetchAndSolve(server.url, sitekey));
    await server.app.flush();
    server.clock.now = NOW;
    await server.app.services.stores.statistics.rollUp(toHour(later(NOW, -30 * DAY)) as Hour);
    const ann = expectOk(await server.app.services.users.byEmail(COMMAND_LINE, EMAIL));
    const keys = await addPeople(server, ann, org);
    const signedIn = await signIn(server);
    const payloads = await visit(server, sitekey);
    await server.app.flush();
    await waitForJobs(server);
    return { sitekey, taskId, ...keys, ...signedIn, ...payloads };
  } finally {
    await server.stop();
  }
}

async function addProperties(server: TestServer) {
  const portal = api(server, PORTAL_KEY);
  const { data } = await portal.post<{ id: string }>('/org', { name: 'Ann and friends' });
  const items = [
    { name: 'Shop', domain: 'example.com', level: 1, growth: 'constant' },
    {
      name: 'Blog',
      domain: 'blog.example.com',
      level: 200,
      growth: 'fast',
      validity_seconds: 600,
      allow_subdomains: true,
      allow_localhost: true,
      max_replay_count: 5,
    },
    { name: 'Old', domain: 'old.example.com' },
  ];
  const [shop, blog, old] = await portal.run('POST', `/org/${data.id}/properties`, items);
  await portal.run('PUT', '/properties', [{ id: blog?.id, enabled: false }]);
  const deleted = await portal.ask<{ id: string }>('DELETE', '/properties', [old?.id]);
  await portal.finished(deleted.data.id);
  const gone = await portal.post<{ id: string }>('/org', { name: 'Gone' });
  await portal.delete('/org', { id: gone.data.id });
  return { org: data.id, sitekey: shop?.sitekey ?? '', taskId: deleted.data.id };
}

async function addPeople({ app: { services } }: TestServer, ann: Account, org: string) {
  const { users, plans, organizations, members, apiKeys, invitations, signingKeys, maintenance } = services;
  const create = async (name: string) => {
    const email = `${name.toLowerCase()}@example.com`;
    return expectOk(await users.create(COMMAND_LINE, { email, name, isAdmin: false, password: undefined }));
  };
  const [ben, cid] = [await create('Ben'), await create('Cid')];
  expectOk(await users.disable(COMMAND_LINE, cid.id));
  expectOk(await plans.set(COMMAND_LINE, { name: 'small', organizations: 2, properties: 20 }));
  expectOk(await users.setPlan(COMMAND_LINE, ben.id, 'small'));
  expectOk(await organizations.create(COMMAND_LINE, { name: 'Ben', ownerId: ben.id }));
  const organizationId = services.ids.open('organization', org);
  if (organizationId === undefined) throw new Error('the organization does not exist');
  expectOk(await members.add(COMMAND_LINE, organizationId, ben));
  const draft = { account: ann, scope: 'verify', isReadOnly: false, organizationId: undefined } as const;
  const limited = expectOk(
    await apiKeys.create(COMMAND_LINE, {
      ...draft,
      name: 'Limited',
      organizationId,
      expiresAt: later(NOW, 6 * DAY),
      rate: 5,
      burst: 50,
    }),
  );
  const revoked = expectOk(
    await apiKeys.create(COMMAND_LINE, { ...draft, name: 'Revoked', expiresAt: undefined }),
  );
  expectOk(await apiKeys.revoke(COMMAND_LINE, revoked.key.id));
  const actor = portalActor(ann, '192.0.2.1');
  const { token } = expectOk(await invitations.invite(actor, organizationId, 'guest@example.com'));
  await signingKeys.rotate(COMMAND_LINE);
  for (const isOn of [true, false]) expectOk(await maintenance.set(COMMAND_LINE, isOn));
  return { limitedKey: limited.secret, revokedKey: revoked.secret, invitationToken: token };
}

/** Signs in and sets up two-factor authentication. */
async function signIn(server: TestServer) {
  const browser = createBrowserClient(server);
  await browser.fill('/portal/login', { email: EMAIL, password: PASSWORD });
  const path = '/portal/settings/security/two-factor';
  await browser.fill(path, {}, `${path}/begin`);
  const { text } = await browser.get(path);
  const secret = /<code id="secret">([A-Z2-7 ]*)<\/code>/.exec(text)?.[1] ?? '';
  const done = await browser.fill(path, { code: codeOf(secret, server.clock.now) });
  const [recoveryCode = ''] = (/<code id="codes">([^<]*)<\/code>/.exec(done.text)?.[1] ?? '').split('\n');
  return { recoveryCode, session: browser.cookies.get('postern-session') ?? '' };
}

async function visit({ url }: TestServer, sitekey: string) {
  const solve = () => fetchAndSolve(url, sitekey);
  const [spent, repeated, fresh] = [await solve(), await solve(), await solve()];
  await verify(url, VERIFY_KEY, spent);
  // The statistics contain a rejection.
  await verify(url, VERIFY_KEY, spent);
  const idempotencyKey = crypto.randomUUID();
  await verifyRepeated(url, repeated, idempotencyKey);
  return { spent, repeated, fresh, idempotencyKey };
}

/** Verifies a payload with an idempotency key. @returns the response */
export async function verifyRepeated(url: string, payload: string, idempotencyKey: string): Promise<unknown> {
  const fields = { secret: VERIFY_KEY, response: payload, idempotency_key: idempotencyKey };
  const init = { method: 'POST', body: new URLSearchParams(fields) };
  return (await fetch(`${url}/turnstile/v0/siteverify`, init)).json();
}

/** Waits for the jobs that run each minute: they purge old claims, and warn of the key that expires soon. */
async function waitForJobs({ logged }: TestServer): Promise<void> {
  await waitUntil('the warning about the API key', () =>
    logged.some(({ event }) => event === 'api-key-expiring'),
  );
  // The claims are purged 30 seconds before or after the warning.
  const seconds = () => new Date().getSeconds();
  await waitUntil('the purge of claims', () => seconds() >= 20 && seconds() < 30);
}
