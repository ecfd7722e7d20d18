import { describe, expect, test } from 'bun:test';
import { idsOf } from '../support/platform.ts';
import { beginSlowRequest, type SlowRequest } from '../support/slowRequest.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';

const server = useServer({ settings: { POSTERN_DEMO: 'on' } });
const tenant = useTenant(server);

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const KIB = 1024;
/** The largest body of a verification. */
const LARGEST = 64 * KIB;
const PATHS = [
  '/siteverify',
  '/recaptcha/api/siteverify',
  '/hcaptcha/siteverify',
  '/turnstile/v0/siteverify',
];

/** Sends all but the last byte of many bodies. @returns a function that counts the rejected ones */
function flood(count: number, addressOf: (index: number) => string, headers: Record<string, string> = FORM) {
  const body = 'a'.repeat(LARGEST);
  const requests = Array.from({ length: count }, (_, index) => {
    const line = `POST ${PATHS[index % PATHS.length]}`;
    return beginSlowRequest(server.url, line, headers, body, LARGEST - 1, addressOf(index));
  });
  let rejected = 0;
  for (const { answer } of requests) {
    answer.then(
      (text) => void (/^HTTP\/1.1 (429|503) [\s\S]*Connection: close\r/i.test(text) && rejected++),
      () => {},
    );
  }
  const end = () => {
    for (const request of requests) request.giveUp();
  };
  return { rejected: () => rejected, end };
}

/** Requests of a client with another address, to everything that reads a body. @returns the statuses */
async function statusesOf(from: string): Promise<readonly (readonly [path: string, status: number])[]> {
  const payload = await fetchAndSolve(server.url, tenant.property.sitekey);
  const form = String(new URLSearchParams({ secret: tenant.verifyKey, response: payload }));
  const login = { ...FORM, Origin: server.url };
  const requests: readonly (readonly [path: string, headers: Record<string, string>, body: string])[] = [
    ...PATHS.map((path) => [path, FORM, form] as const),
    ['/verify', { 'X-API-Key': tenant.verifyKey }, payload],
    ['/demo', FORM, 'a=b'],
    ['/portal/login', login, 'email=a&password=b'],
  ];
  const answers = requests.map(async ([path, headers, body]) => {
    const { finish } = beginSlowRequest(server.url, `POST ${path}`, headers, body, 1, from);
    return [path, Number((await finish()).split(' ')[1])] as const;
  });
  return Promise.all(answers);
}

/** The login form has no token, and the demo's form no solution. */
const EXPECTED = [...PATHS, '/verify'].map((path) => [path, 200] as const);
const NOT_REJECTED = [...EXPECTED, ['/demo', 400], ['/portal/login', 403]] as const;

describe('bodies that do not arrive completely', () => {
  test('from one address do not affect other addresses', async () => {
    // 540 bodies of 64 KiB used all of the memory for bodies without a key: for 30 seconds, the vendors' paths returned 429, and
    // no user could sign in.
    const { rejected, end } = flood(540, () => '127.0.0.2');
    // The share of an address is 4 MiB.
    await waitUntil('476 rejected bodies', () => rejected() >= 476);
    expect(rejected()).toBe(476);
    expect(await statusesOf('127.0.0.3')).toEqual(NOT_REJECTED);
    end();
  });

  test('from many addresses give way to those of other addresses', async () => {
    const { rejected, end } = flood(540, (index) => `127.0.1.${1 + (index % 9)}`);
    // 512 of them fit in 32 MiB.
    await waitUntil('28 rejected bodies', () => rejected() >= 28);
    expect(await statusesOf('127.0.0.3')).toEqual(NOT_REJECTED);
    end();
  });
});

describe('a body that is slower than the minimum rate', () => {
  const slow = useServer({ bodies: { graceMs: 100, rate: KIB }, settings: { POSTERN_DNS_CHECK: 'off' } });
  const other = useTenant(slow);

  /** Waits longer than the grace time. */
  async function passGrace(): Promise<void> {
    const headers = { 'X-API-Key': other.verifyKey };
    const { answer } = beginSlowRequest(slow.url, 'POST /verify', headers, 'a'.repeat(10));
    expect(await answer).toStartWith('HTTP/1.1 408 ');
  }

  test('is rejected, and a large import over a slow line is not', async () => {
    const { org } = idsOf(slow, other);
    const body = JSON.stringify([{ name: 'Imported', domain: 'example.org' }]).padEnd(700 * KIB);
    const headers = { 'X-API-Key': other.portalKey, 'Content-Type': 'application/json' };
    const slowImport: SlowRequest = beginSlowRequest(
      slow.url,
      `POST /org/${org}/properties`,
      headers,
      body,
      200 * KIB,
    );
    await passGrace();
    slowImport.send(200 * KIB);
    await passGrace();
    expect(await slowImport.finish()).toStartWith('HTTP/1.1 200 ');
  });

  test('of the Platform API has a response with the reason', async () => {
    const headers = { 'X-API-Key': other.portalKey, 'Content-Type': 'application/json' };
    const { answer } = beginSlowRequest(slow.url, 'PUT /org', headers, 'a'.repeat(100 * KIB), 10);
    expect(await answer).toMatch(/^HTTP\/1.1 400 [\s\S]*Connection: close\r[\s\S]*too slowly/i);
  });
});

describe('bodies with a key that do not arrive completely', () => {
  const narrow = useServer({ bodies: { owned: { capacity: 128 * KIB, share: 64 * KIB } } });
  const [first, second] = [useTenant(narrow), useTenant(narrow)];

  test('use the share of their user, and those of others are read', async () => {
    const ask = (line: string, key: string, type: string) =>
      beginSlowRequest(narrow.url, line, { 'X-API-Key': key, 'Content-Type': type }, 'a'.repeat(40 * KIB));
    const one = ask('POST /verify', first.verifyKey, 'text/plain');
    for (let turn = 0; turn < 20; turn++) await fetch(`${narrow.url}/livez`);
    const more = await Promise.all([
      ask('POST /verify', first.verifyKey, 'text/plain').answer,
      ask('POST /siteverify', first.verifyKey, FORM['Content-Type']).answer,
      ask('PUT /org', first.portalKey, 'application/json').answer,
    ]);
    expect(more.map((text) => text.slice(9, 12))).toEqual(['503', '429', '503']);
    for (const text of more) expect(text).toMatch(/^Retry-After: 1\r$/im);
    expect(await ask('POST /verify', second.verifyKey, 'text/plain').finish()).toStartWith('HTTP/1.1 400 ');
    expect(await one.finish()).toStartWith('HTTP/1.1 400 ');
    expect(await ask('POST /verify', first.verifyKey, 'text/plain').finish()).toStartWith('HTTP/1.1 400 ');
  });
});
