import { TOKEN_FIELD } from '../../src/portal/components/form.tsx';
import type { RepeatableKind } from '../bench/installation.ts';
import { type BrowserClient, createBrowserClient, tokenIn } from '../support/portal.ts';
import type { createRandom } from '../support/random.ts';
import type { Presented, PresentedClaims } from './claims.ts';
import { PASSWORD, type Tenant } from './installation.ts';
import type { Ended, Requests } from './requests.ts';

export type ActorOptions = {
  readonly url: string;
  readonly requests: Requests;
  readonly claims: PresentedClaims;
  readonly tenants: readonly Tenant[];
  readonly random: ReturnType<typeof createRandom>;
};

/** One step of a client, which is repeated. */
type Step = () => Promise<unknown>;

/** A kind of client: how many of them run at the same time, and the longest pause between two steps in milliseconds. */
export type ActorKind = {
  readonly name: string;
  readonly clients: number;
  readonly pauseMs: number;
  /** @returns the step of a new client */
  readonly create: (options: ActorOptions, tenant: Tenant) => Step | Promise<Step>;
};

const JSON_TYPE = { 'Content-Type': 'application/json' };
const VENDOR_PATHS = ['/recaptcha/api/siteverify', '/hcaptcha/siteverify', '/turnstile/v0/siteverify'];

const times = <T>(count: number, create: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => create(i));

/** Every kind of request. The rates are those of a busy server; together, they use both cores of a small machine. */
export const ACTORS: readonly ActorKind[] = [
  { name: 'puzzle', clients: 6, pauseMs: 60, create: getPuzzles },
  { name: 'verify', clients: 8, pauseMs: 120, create: verifyPlainly },
  { name: 'idempotent', clients: 4, pauseMs: 150, create: verifyIdempotently },
  { name: 'vendors', clients: 2, pauseMs: 150, create: verifyAsVendor },
  { name: 'argon2id', clients: 2, pauseMs: 400, create: createVerifyAgain('argon2id') },
  { name: 'hashwx', clients: 4, pauseMs: 60, create: createVerifyAgain('hashwx') },
  { name: 'garbage', clients: 2, pauseMs: 100, create: sendGarbage },
  { name: 'portal', clients: 2, pauseMs: 500, create: visitPortal },
  { name: 'sign-in', clients: 1, pauseMs: 4000, create: signIn },
  { name: 'exports', clients: 2, pauseMs: 2000, create: exportFiles },
  { name: 'imports', clients: 1, pauseMs: 5000, create: importFiles },
  { name: 'rules', clients: 1, pauseMs: 3000, create: replaceRules },
  { name: 'batches', clients: 1, pauseMs: 2000, create: createProperties },
  { name: 'slow', clients: 24, pauseMs: 2000, create: sendSlowly },
  { name: 'aborted', clients: 4, pauseMs: 200, create: closeEarly },
];

function verdictOf(ended: Ended | undefined): Presented {
  if (ended === undefined || ended.status === 503 || ended.status === 429) return 'unknown';
  // Some vendors' responses are indented.
  if (/"success": ?true/.test(ended.body)) return 'accepted';
  return /"code":8\b|timeout-or-duplicate|already-seen-response|solution-verified-before/.test(ended.body)
    ? 'used'
    : 'rejected';
}

function getPuzzles({ requests, random }: ActorOptions, { sitekey }: Tenant): Step {
  return () =>
    requests.send('puzzle', `/puzzle?sitekey=${sitekey}`, {
      headers: { Origin: random(20) === 0 ? 'https://other.example' : 'https://example.com' },
    });
}

function verifyPlainly({ requests, claims, random }: ActorOptions, tenant: Tenant): Step {
  return async () => {
    const payload = tenant.newPayload();
    const send = () =>
      requests.send('verify', '/verify', {
        method: 'POST',
        body: payload,
        headers: { 'X-API-Key': tenant.verifyKey },
      });
    const ended = await Promise.all(times(random(10) === 0 ? 4 : 1, send));
    claims.record(payload, ended.map(verdictOf));
  };
}

/** Presents one payload with several idempotency keys and without one, all at the same time. */
function verifyIdempotently({ requests, claims, random }: ActorOptions, tenant: Tenant): Step {
  return async () => {
    const payload = tenant.newPayload();
    const keys = times(2, () => crypto.randomUUID());
    const send = (key: string | undefined) =>
      requests.send(key === undefined ? 'vendor' : 'idempotent', VENDOR_PATHS[random(3)] ?? '', {
        method: 'POST',
        body: new URLSearchParams({
          secret: tenant.verifyKey,
          response: payload,
          ...(key === undefined ? {} : { idempotency_key: key }),
        }),
      });
    const byKey = await Promise.all(
      [...keys, undefined].map((key) =>
        Promise.all(times(key === undefined ? 1 : 1 + random(4), () => send(key))),
      ),
    );
    // Requests with the same key have the same result, so they count once.
    const results = byKey.map((ended) => {
      const verdicts = new Set(ended.map(verdictOf));
      if (verdicts.has('accepted')) return verdicts.has('used') ? 'rejected' : 'accepted';
      return verdicts.has('unknown') ? 'unknown' : verdicts.has('rejected') ? 'rejected' : 'used';
    });
    claims.record(payload, results.includes('rejected') ? ['rejected'] : results);
  };
}

function verifyAsVendor({ requests, claims, random }: ActorOptions, tenant: Tenant): Step {
  return async () => {
    const payload = tenant.newPayload();
    const body = JSON.stringify({ secret: tenant.verifyKey, response: payload });
    const path = ['/siteverify', ...VENDOR_PATHS][random(4)] ?? '';
    const ended = await requests.send('vendor', path, { method: 'POST', body, headers: JSON_TYPE });
    claims.record(payload, [verdictOf(ended)]);
  };
}

/** Presents payloads of puzzles other than BLAKE2b again and again. */
function createVerifyAgain(kind: RepeatableKind): ActorKind['create'] {
  return ({ requests, random }, { verifyKey, repeatable }) =>
    () => {
      const payloads = repeatable[kind];
      const response = payloads[random(payloads.length)] ?? '';
      const key: Record<string, string> = random(2) === 0 ? { idempotency_key: crypto.randomUUID() } : {};
      const body = new URLSearchParams({ secret: verifyKey, response, ...key });
      return requests.send(kind, '/turnstile/v0/siteverify', { method: 'POST', body });
    };
}

function sendGarbage({ requests, random }: ActorOptions, { verifyKey, sitekey }: Tenant): Step {
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    requests.send('garbage', path, { method: 'POST', body, headers });
  const steps: readonly Step[] = [
    () => post('/verify', 'x'.repeat(random(60_000)), { 'X-API-Key': verifyKey }),
    () => post('/verify', 'AAAA.BBBB.CCCC', { 'X-API-Key': 'pst_unknown' }),
    () => post('/siteverify', '{"secret":', JSON_TYPE),
    () => post('/turnstile/v0/siteverify', `secret=${verifyKey}&response=%FF%FE`),
    () => requests.send('garbage', `/puzzle?sitekey=${sitekey.slice(1)}`),
    () => requests.send('garbage', `/${'%2e'.repeat(random(100))}/verify`),
    () => post('/org', '[[[[', JSON_TYPE),
    () => requests.send('garbage', '/portal/orgs/unknown', { headers: { Cookie: 'postern-session=x' } }),
  ];
  return () => (steps[random(steps.length)] as Step)();
}

/** @returns the cookies of a new session, and the path of the user's organization */
async function openSession(url: string, email: string) {
  const browser = createBrowserClient({ url });
  const shown = await browser.fill('/portal/login', { email, password: PASSWORD });
  if (shown.status !== 303) throw new Error(`signing in failed: ${shown.status} ${shown.text}`);
  const [organizationPath = ''] =
    /\/portal\/orgs\/[\w-]{22}/.exec((await browser.get('/portal/orgs')).text) ?? [];
  return { browser, organizationPath, headers: { Cookie: cookieOf(browser) } };
}

function cookieOf({ cookies }: BrowserClient): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

async function visitPortal({ url, requests, random }: ActorOptions, { email }: Tenant): Promise<Step> {
  const { organizationPath, headers } = await openSession(url, email);
  const { body = '' } = (await requests.send('portal', organizationPath, { headers })) ?? {};
  const [property = organizationPath] =
    new RegExp(`${organizationPath}/properties/[\\w-]{22}`).exec(body) ?? [];
  const paths = [
    ...['/portal', '/portal/orgs', organizationPath, `${organizationPath}/members`, '/portal/activity'],
    ...[property, `${property}/settings`, `${property}/rules`, `${property}/integration`],
    ...[
      `${property}?range=1y`,
      `${property}/statistics/live`,
      '/portal/search?q=a',
      '/portal/settings/security',
    ],
    ...['/docs', '/docs/search?q=puzzle', '/swagger/json', '/portal/login'],
  ];
  return () => requests.send('portal', paths[random(paths.length)] ?? '', { headers });
}

/** Signs in with addresses without a user, which cost the same password hash and do not delay the user's own sessions. */
async function signIn({ url, requests, random }: ActorOptions, { email }: Tenant): Promise<Step> {
  const browser = createBrowserClient({ url });
  return async () => {
    const token = tokenIn(await browser.get('/portal/login'));
    const fields = {
      email: `${random(1_000_000)}.${email}`,
      password: 'wrong password',
      [TOKEN_FIELD]: token,
    };
    const headers = { Origin: url, Cookie: cookieOf(browser) };
    return requests.send('sign-in', '/portal/login', {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
    });
  };
}

async function exportFiles({ url, requests, random }: ActorOptions, { email }: Tenant): Promise<Step> {
  const { organizationPath, headers } = await openSession(url, email);
  const names = ['export.csv', 'export.json', 'activity/audit.csv', 'activity/audit.json'];
  return () =>
    Promise.all(
      times(1 + random(4), () =>
        requests.send('export', `${organizationPath}/${names[random(names.length)]}`, { headers }),
      ),
    );
}

async function importFiles({ url, requests, random }: ActorOptions, { email }: Tenant): Promise<Step> {
  const { browser, organizationPath, headers } = await openSession(url, email);
  const path = `${organizationPath}/import`;
  return async () => {
    const token = tokenIn(await browser.get(path));
    const rows = times(1 + random(300), (i) => `Imported ${i},example.com`);
    const text = random(4) === 0 ? ','.repeat(random(700_000)) : `name,domain\n${rows.join('\n')}\n`;
    const form = new FormData();
    form.set(TOKEN_FIELD, token);
    form.set('create_unknown', 'on');
    form.set('file', new File([text], 'properties.csv', { type: 'text/csv' }));
    return requests.send('import', path, {
      method: 'POST',
      body: form,
      headers: { ...headers, Origin: url },
    });
  };
}

const apiRequest = (key: string, body: unknown, method: string): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'X-API-Key': key, ...JSON_TYPE },
});

/** @returns the path of the tenant's organization in the Platform API */
async function organizationOf({ requests }: ActorOptions, { portalKey }: Tenant): Promise<string> {
  const { body = '' } = (await requests.send('api', '/orgs', { headers: { 'X-API-Key': portalKey } })) ?? {};
  return `/org/${/"id":"([^"]+)"/.exec(body)?.[1]}`;
}

async function replaceRules(options: ActorOptions, tenant: Tenant): Promise<Step> {
  const { requests, random } = options;
  const path = await organizationOf(options, tenant);
  const { body = '' } =
    (await requests.send('api', `${path}/properties`, { headers: { 'X-API-Key': tenant.portalKey } })) ?? {};
  const id = /"id":"([^"]+)"/.exec(body)?.[1];
  return () => {
    const network = (i: number) => `10.${(i >> 8) & 255}.${i & 255}.${random(256)}/32`;
    const networks = times(random(4) === 0 ? 9000 : 1 + random(50), network);
    const rule = { name: 'Networks', action: 'adjust', levels: 1, conditions: { networks } };
    const init = apiRequest(tenant.portalKey, { rules: [rule] }, 'PUT');
    return requests.send('rules', `${path}/property/${id}/rules`, init);
  };
}

/** Creates properties in a batch, waits for the task, and deletes them. */
async function createProperties(options: ActorOptions, tenant: Tenant): Promise<Step> {
  const { requests, random } = options;
  const path = await organizationOf(options, tenant);
  const finish = async (ended: Ended | undefined): Promise<string> => {
    const task = /"id":"([^"]+)"/.exec(ended?.body ?? '')?.[1];
    for (let i = 0; task !== undefined && i < 600; i++) {
      const shown = await requests.send('task', `/asynctask/${task}`, {
        headers: { 'X-API-Key': tenant.portalKey },
      });
      if (shown?.body.includes('"finished":true')) return shown.body;
      await Bun.sleep(100);
    }
    return '';
  };
  return async () => {
    const names = times(1 + random(64), () => ({ name: crypto.randomUUID(), domain: 'example.com' }));
    const created = await finish(
      await requests.send('batch', `${path}/properties`, apiRequest(tenant.portalKey, names, 'POST')),
    );
    const result = created.slice(created.indexOf('"result"'));
    const ids = [...result.matchAll(/"id":"([\w-]{22})"/g)].map(([, id]) => id);
    if (ids.length > 0)
      await finish(await requests.send('batch', '/properties', apiRequest(tenant.portalKey, ids, 'DELETE')));
  };
}

/** Sends a part of a body, keeps the connection open, and closes it. */
function sendSlowly({ requests, random }: ActorOptions, { verifyKey }: Tenant): Step {
  return () => {
    const path = ['/verify', '/siteverify', '/turnstile/v0/siteverify', '/portal/login'][random(4)];
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${verifyKey}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const text = `${head}Content-Length: 60000\r\n\r\n${'a'.repeat(random(30_000))}`;
    return requests.abandon('slow', text, random(20_000));
  };
}

/** Sends a complete request and closes the connection immediately or after a few milliseconds. */
function closeEarly({ requests, claims, random }: ActorOptions, tenant: Tenant): Step {
  return async () => {
    const payload = tenant.newPayload();
    const head = `POST /verify HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${tenant.verifyKey}\r\n`;
    await requests.abandon(
      'aborted',
      `${head}Content-Length: ${payload.length}\r\n\r\n${payload}`,
      random(8),
    );
    claims.record(payload, ['unknown']);
  };
}
