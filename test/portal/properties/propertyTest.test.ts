import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Property } from '../../../src/model/property.ts';
import { solvePuzzle } from '../../../src/puzzle/solve.ts';
import { createBlake2b } from '../../../src/server/blake2b.ts';
import { solveNatively } from '../../../src/server/nativeSolver.ts';
import { tokenIn } from '../../support/portal.ts';
import {
  addProperty,
  addPropertyOwner,
  type PropertyOwner,
  propertyPath,
} from '../../support/propertyOwner.ts';
import { useServer } from '../../support/useServer.ts';
import { fetchAndSolve } from '../../support/visitor.ts';

const server = useServer();

async function openTest(owner: PropertyOwner, property: Property, page = '') {
  const path = `${propertyPath(server, owner, property)}/integration/test`;
  const shown = await owner.browser.get(page === '' ? path : `${path}?${new URLSearchParams({ page })}`);
  const [, endpoint = ''] = /data-puzzle-endpoint="([^"]*)"/.exec(shown.text) ?? [];
  return {
    path,
    shown,
    token: tokenIn(shown),
    fetchPuzzle: (version = '1') =>
      fetch(`${server.url}${endpoint}`, { headers: { 'X-PC-Captcha-Version': version } }),
  };
}

const EASY = { level: 1, growth: 'constant' } as const;

describe('a test of the integration', () => {
  test('verifies a real solution once, for the host of the page, and counts nothing', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, { ...EASY, allowsSubdomains: true });
    const { path, token, fetchPuzzle } = await openTest(owner, property, 'www.example.com/login');
    const text = await (await fetchPuzzle()).text();
    const solution = solvePuzzle(text, createBlake2b(), () => 0)?.payload ?? '';
    const answers: unknown[] = [];
    for (let i = 0; i < 2; i++)
      answers.push(JSON.parse((await owner.browser.post(path, { solution, form_token: token })).text));
    expect(answers).toMatchObject([
      { success: true, answer: { success: true, code: 0, origin: 'www.example.com' } },
      { success: false, answer: { success: false, code: 8 } },
    ]);
    await server.app.flush();
    const counted = 'SELECT * FROM statistics_hourly WHERE property_id = ?';
    expect(await server.raw.query(counted, [property.id])).toEqual([]);
  });

  test.each([
    ['argon2id', 152, '2'],
    ['hashwx', 60, '3'],
  ] as const)('verifies %s for widgets that announce it', async (challenge, level, newest) => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, { ...EASY, level, challenge });
    const { path, token, fetchPuzzle } = await openTest(owner, property);
    expect(Uint8Array.fromBase64((await (await fetchPuzzle()).text()).split('.')[0] ?? '')).toHaveLength(47);
    const text = await (await fetchPuzzle(newest)).text();
    expect(Uint8Array.fromBase64(text.split('.')[0] ?? '')).toHaveLength(48);
    const solution = (await solveNatively(text))?.payload ?? '';
    const { answer } = JSON.parse((await owner.browser.post(path, { solution, form_token: token })).text);
    expect(answer).toMatchObject({ success: true, code: 0, origin: 'example.com' });
  });

  test('accepts the solutions of visitors, but not those of another property', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, EASY);
    const other = await addProperty(server, owner, { name: 'Other', ...EASY });
    const { path, token } = await openTest(owner, property);
    const verdictOn = async (solution: string) =>
      JSON.parse((await owner.browser.post(path, { solution, form_token: token })).text).answer;
    expect(await verdictOn(await fetchAndSolve(server.url, property.sitekey))).toMatchObject({ code: 0 });
    expect(await verdictOn(await fetchAndSolve(server.url, other.sitekey))).toMatchObject({ code: 6 });
    for (const nonsense of ['', 'x.y.z', 'a'.repeat(50_000)])
      expect(await verdictOn(nonsense)).toMatchObject({ success: false, code: 4 });
  });

  test('explains a page that the property does not allow, and a disabled property', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, EASY);
    const wrong = await openTest(owner, property, 'https://www.example.com');
    const rejected = await wrong.fetchPuzzle();
    expect([rejected.status, await rejected.json()]).toEqual([403, { problem: 'origin-not-allowed' }]);
    expect(wrong.shown.text).toContain('www.example.com is not example.com');
    await server.app.services.properties.setEnabled(INSTALLATION, property.id, false);
    const disabled = await (await openTest(owner, property)).fetchPuzzle();
    expect([disabled.status, await disabled.json()]).toEqual([403, { problem: 'property-unknown' }]);
  });

  test.each([
    'javascript:alert(1)',
    'https://',
    'ftp://example.com',
    'a b',
    `https://${'a'.repeat(400)}.com`,
  ])('for the address %s shows an error', async (page) => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const { shown } = await openTest(owner, property, page);
    expect([shown.status, shown.text.includes('Enter the address of a page')]).toEqual([422, true]);
  });
});

describe('the puzzles of a test', () => {
  test('need a token of this server, which expires', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, EASY);
    const { fetchPuzzle, shown } = await openTest(owner, property);
    const [, token = ''] = /token=([\w.-]+)"/.exec(shown.text) ?? [];
    const origin = Buffer.from('https://evil.example').toString('base64url');
    const forged = token.split('.').with(2, origin).join('.');
    for (const wrong of ['', 'x', forged, `${token}x`, token.toUpperCase(), `${token}.${'a'.repeat(9000)}`]) {
      const response = await fetch(`${server.url}/portal/trial/puzzle?token=${wrong}`);
      expect([wrong, response.status, await response.json()]).toEqual([wrong, 403, { problem: 'expired' }]);
    }
    expect((await fetchPuzzle()).status).toBe(200);
    const { now } = server.clock;
    server.clock.now = (now + 3_600_001) as Instant;
    expect((await fetchPuzzle()).status).toBe(403);
    server.clock.now = now;
  });

  test('do not raise the difficulty of visitors', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, { level: 10, growth: 'fast' });
    const { fetchPuzzle } = await openTest(owner, property);
    const texts = await Promise.all(Array.from({ length: 60 }, async () => (await fetchPuzzle()).text()));
    const levels = texts.map((text) => Buffer.from(text.split('.')[0] ?? '', 'base64')[25]);
    expect(new Set(levels)).toEqual(new Set([10]));
  });

  test('are limited for each property', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, EASY);
    const tests = [await openTest(owner, property), await openTest(owner, property)];
    const fetchAll = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => tests[i % 2]?.fetchPuzzle()));
    const statuses = (await fetchAll(80)).map((response) => response?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    const [rejected] = await fetchAll(1);
    expect([rejected?.status, rejected?.headers.get('Retry-After')]).toEqual([429, '1']);
    expect(await rejected?.json()).toEqual({ problem: 'rate-limited' });
    const other = await openTest(owner, await addProperty(server, owner, { name: 'Other', ...EASY }));
    expect((await other.fetchPuzzle()).status).toBe(200);
    server.clock.now = (server.clock.now + 1000) as Instant;
    expect((await fetchAll(2)).map((response) => response?.status)).toEqual([200, 429]);
  });
});

test('the integration page creates an API key for this organization, which is shown once', async () => {
  const owner = await addPropertyOwner(server);
  const property = await addProperty(server, owner, EASY);
  const page = `${propertyPath(server, owner, property)}/integration`;
  const shown = await owner.browser.fill(page, {}, `${page}/key`);
  const [secret = ''] = /postern_verify_\w+/.exec(shown.text) ?? [];
  expect(shown.text).not.toContain('YOUR_VERIFY_KEY');
  expect((await owner.browser.get(page)).text).not.toContain(secret);
  const [key] = await server.app.services.apiKeys.list(INSTALLATION, owner.account);
  expect(key).toMatchObject({ scope: 'verify', organizationId: owner.organization.id });
  const solution = await fetchAndSolve(server.url, property.sitekey);
  const answer = await fetch(`${server.url}/verify`, {
    method: 'POST',
    headers: { 'X-API-Key': secret },
    body: solution,
  });
  expect(await answer.json()).toMatchObject({ success: true });
});
