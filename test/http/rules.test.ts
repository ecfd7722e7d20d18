import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesFromBase64 } from '../../src/lib/bytes.ts';
import { COMMAND_LINE, INSTALLATION, portalActor } from '../../src/model/actor.ts';
import type { RuleScope } from '../../src/model/rules/rule.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { createGeoipFile } from '../support/geoipFile.ts';
import { addTenant, expectOk, startServer, type TestServer } from '../support/server.ts';
import { openTestServices } from '../support/services.ts';
import { useServer } from '../support/useServer.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';

const ORIGIN = 'https://example.com';
const folder = mkdtempSync(join(tmpdir(), 'postern-rules-'));
const geoipFile = join(folder, 'country.mmdb');
writeFileSync(
  geoipFile,
  createGeoipFile({ '203.0.113.0/24': { country: 'DE', autonomous_system_number: 64_496 } }),
);

const server = useServer({
  settings: { POSTERN_TRUSTED_PROXIES: '127.0.0.0/8,::1', POSTERN_GEOIP_FILES: geoipFile },
});

type Wire = { readonly action: string; readonly conditions: object; readonly [member: string]: unknown };

function setRules(scope: RuleScope, rules: readonly Wire[], { app: { services } }: TestServer = server) {
  const named = rules.map((rule, index) => ({ name: `Rule ${index}`, ...rule }));
  return services.rules.replace(COMMAND_LINE, scope, named).then(expectOk);
}

function ask(
  sitekey: string,
  headers: Record<string, string> = {},
  query = '',
  { url } = server,
): Promise<Response> {
  return fetch(`${url}/puzzle?sitekey=${sitekey}${query}`, { headers: { Origin: ORIGIN, ...headers } });
}

/** @returns the difficulty of the puzzle, or the status of the rejection */
async function outcomeOf(response: Promise<Response>): Promise<string> {
  const { status, ok, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    ok: answer.ok,
    text: await answer.text(),
  }));
  if (!ok) return `status ${status}`;
  const puzzle = bytesFromBase64(rest.text.split('.')[0] ?? '');
  return `difficulty ${puzzle && parsePuzzle(puzzle)?.difficulty}`;
}

const BOT = { 'User-Agent': 'EvilBot/1.0' };
const bots = { user_agents: ['*bot*'] };

describe('rules of a property', () => {
  test('block a request with a CORS response, and count nothing as a puzzle', async () => {
    const { property, verifyKey } = await addTenant(server);
    const solved = await fetchAndSolve(server.url, property.sitekey);
    await setRules(property.id, [{ action: 'block', conditions: bots }]);
    const response = await ask(property.sitekey, BOT);
    expect(response.status).toBe(403);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN);
    expect(await response.json()).toMatchObject({
      meta: { code: 1001, description: 'A rule of the operator or of the website blocks this request.' },
      data: null,
    });
    expect(await outcomeOf(ask(property.sitekey))).toBe('difficulty 1');
    // A rule concerns the issue of puzzles, not solutions of earlier ones.
    expect(await verify(server.url, verifyKey, solved, BOT)).toMatchObject({ success: true, code: 0 });
  });

  test('set, raise, and lower the level within 1..255, and growth is added to it', async () => {
    const { property } = await addTenant(server, { level: 100 });
    const of = (path: string, action: object) => ({ action: '', ...action, conditions: { paths: [path] } });
    await setRules(property.id, [
      of('/allow', { action: 'allow' }),
      of('/set', { action: 'set', level: 42 }),
      of('/raise', { action: 'adjust', levels: 16 }),
      of('/lower', { action: 'adjust', levels: -99 }),
      of('/most', { action: 'adjust', levels: 254 }),
      of('/least', { action: 'adjust', levels: -254 }),
      of('/same', { action: 'adjust', levels: 0 }),
      of('*', { action: 'block' }),
    ]);
    const difficulties = [1, 42, 116, 1, 255, 1, 100];
    for (const [index, path] of ['allow', 'set', 'raise', 'lower', 'most', 'least', 'same'].entries()) {
      expect([path, await outcomeOf(ask(property.sitekey, {}, `&path=/${path}`))]).toEqual([
        path,
        `difficulty ${difficulties[index]}`,
      ]);
    }
    expect(await outcomeOf(ask(property.sitekey, {}, '&path=/other'))).toBe('status 403');
    // Without a path, no rule matches.
    expect(await outcomeOf(ask(property.sitekey))).toBe('difficulty 100');
  });

  test('that allow a client issue the easiest puzzles, and do not raise the difficulty of others', async () => {
    const { property } = await addTenant(server, { level: 50, growth: 'fast' });
    const { property: growing } = await addTenant(server, { level: 50, growth: 'fast' });
    await setRules(property.id, [{ action: 'allow', conditions: { networks: ['198.51.100.7'] } }]);
    const office = { 'X-Forwarded-For': '198.51.100.7' };
    for (let n = 0; n < 60; n++) {
      expect(await outcomeOf(ask(property.sitekey, office))).toBe('difficulty 1');
    }
    expect(await outcomeOf(ask(property.sitekey, { 'X-Forwarded-For': '198.51.100.8' }))).toBe(
      'difficulty 50',
    );
    expect(await outcomeOf(ask(growing.sitekey, office))).toBe('difficulty 50');
  });

  test('match the path of the Referer, but not the one of a page that sends only its origin', async () => {
    const { property } = await addTenant(server);
    await setRules(property.id, [{ action: 'block', conditions: { paths: ['/login*', '/'] } }]);
    expect(await outcomeOf(ask(property.sitekey, { Referer: `${ORIGIN}/login?x` }))).toBe('status 403');
    expect(await outcomeOf(ask(property.sitekey, { Referer: `${ORIGIN}/` }))).toBe('difficulty 1');
    expect(await outcomeOf(ask(property.sitekey, { Referer: `${ORIGIN}/login` }, '&path=/start'))).toBe(
      'difficulty 1',
    );
    expect(await outcomeOf(ask(property.sitekey, {}, '&path=%2Flogin%2Freset'))).toBe('status 403');
    expect(await outcomeOf(ask(property.sitekey, {}, '&path=//evil.example/login'))).toBe('difficulty 1');
  });

  test('match the country and the ASN of the client address', async () => {
    const { property } = await addTenant(server);
    await setRules(property.id, [
      { action: 'set', level: 7, conditions: { countries: ['DE'], asns: [64_496] } },
      { action: 'block', conditions: { countries: ['FR'] } },
    ]);
    expect(await outcomeOf(ask(property.sitekey, { 'X-Forwarded-For': '203.0.113.9' }))).toBe('difficulty 7');
    expect(await outcomeOf(ask(property.sitekey, { 'X-Forwarded-For': '203.0.114.9' }))).toBe('difficulty 1');
  });

  test('count their hits; a dry run only counts, and rules after the first match are not reached', async () => {
    const { property } = await addTenant(server);
    const { rules } = await setRules(property.id, [
      { action: 'block', dry_run: true, conditions: bots },
      { action: 'block', enabled: false, conditions: bots },
      { action: 'set', level: 9, conditions: { headers: ['x-test: *'] } },
      { action: 'set', level: 8, conditions: bots },
    ]);
    expect(await outcomeOf(ask(property.sitekey, BOT))).toBe('difficulty 8');
    expect(await outcomeOf(ask(property.sitekey, { ...BOT, 'X-Test': '1' }))).toBe('difficulty 9');
    await server.app.flush();
    const counted = expectOk(await server.app.services.rules.list(COMMAND_LINE, property.id));
    const hit = (hits: number) => ({ hits, lastHitAt: server.clock.now });
    expect(counted.rules.map(({ hits }) => hits)).toEqual([hit(2), undefined, hit(1), hit(1)]);
    expect(counted.rules.map(({ id }) => id)).toEqual(rules.map(({ id }) => id));
  });

  test('do not apply to another property, and not after they are removed', async () => {
    const [first, second] = [await addTenant(server), await addTenant(server)];
    await setRules(first.property.id, [{ action: 'block', conditions: bots }]);
    expect(await outcomeOf(ask(second.property.sitekey, BOT))).toBe('difficulty 1');
    expect(await outcomeOf(ask(first.property.sitekey, BOT))).toBe('status 403');
    await setRules(first.property.id, []);
    expect(await outcomeOf(ask(first.property.sitekey, BOT))).toBe('difficulty 1');
  });
});

describe('rules of the installation', () => {
  test('come before the rules of properties, unless they only count', async () => {
    const { property } = await addTenant(server, { level: 100 });
    await setRules(property.id, [{ action: 'block', conditions: bots }]);
    await setRules('installation', [
      { action: 'block', dry_run: true, conditions: bots },
      { action: 'adjust', levels: 0, conditions: { headers: ['x-monitor: yes'] } },
    ]);
    expect(await outcomeOf(ask(property.sitekey, BOT))).toBe('status 403');
    expect(await outcomeOf(ask(property.sitekey, { ...BOT, 'X-Monitor': 'yes' }))).toBe('difficulty 100');
    await setRules('installation', []);
    expect(await outcomeOf(ask(property.sitekey, { ...BOT, 'X-Monitor': 'yes' }))).toBe('status 403');
  });

  test('that another process changes apply within a second', async () => {
    const { property } = await addTenant(server);
    expect(await outcomeOf(ask(property.sitekey, BOT))).toBe('difficulty 1');
    const other = await openTestServices(server.dataDir);
    const rules = [{ name: 'Bots', action: 'block', conditions: bots }];
    expectOk(await other.rules.replace(COMMAND_LINE, property.id, rules));
    await waitUntil(
      'the rule of the property',
      async () => (await outcomeOf(ask(property.sitekey, BOT))) === 'status 403',
    );
    expectOk(await other.rules.replace(COMMAND_LINE, property.id, []));
    await waitUntil('no rule', async () => (await outcomeOf(ask(property.sitekey, BOT))) === 'difficulty 1');
    expectOk(await other.rules.replace(COMMAND_LINE, 'installation', rules));
    await waitUntil(
      'the rule of the installation',
      async () => (await outcomeOf(ask(property.sitekey, BOT))) === 'status 403',
    );
    expectOk(await other.rules.replace(COMMAND_LINE, 'installation', []));
    await waitUntil('no rule', async () => (await outcomeOf(ask(property.sitekey, BOT))) === 'difficulty 1');
    await other.close();
  });
});

test('a restarted server applies the stored rules', async () => {
  const dataDir = join(folder, 'restart');
  const first = await startServer({ dataDir });
  const { property } = await addTenant(first);
  await setRules('installation', [{ action: 'set', level: 5, conditions: bots }], first);
  await first.stop();
  const second = await startServer({ dataDir });
  expect(await outcomeOf(ask(property.sitekey, BOT, '', second))).toBe('difficulty 5');
  await second.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('only members change the rules of a property, and only administrators those of the installation', async () => {
  const { services } = server.app;
  const [owner, stranger] = [await addTenant(server), await addTenant(server)];
  const actorOf = ({ account }: typeof owner) => portalActor(account, '192.0.2.1');
  const { id } = owner.property;
  const rules = [{ name: 'Bots', action: 'block', conditions: bots }];
  expectOk(await services.rules.replace(actorOf(owner), id, rules));
  const gone = { ok: false, problem: 'property-gone' } as const;
  expect(await services.rules.replace(actorOf(stranger), id, [])).toEqual(gone);
  expect(await services.rules.replace(actorOf(stranger), id, 'x')).toEqual(gone);
  expect(await services.rules.list(actorOf(stranger), id)).toEqual(gone);
  expect(await services.rules.test(actorOf(stranger), id, {})).toEqual(gone);
  const adminOnly = { ok: false, problem: 'admin-only' } as const;
  expect(await services.rules.list(actorOf(owner), 'installation')).toEqual(adminOnly);
  expect(await services.rules.replace(actorOf(owner), 'installation', rules)).toEqual(adminOnly);
  expect(await services.rules.test(actorOf(owner), 'installation', {})).toEqual(adminOnly);
  expect(expectOk(await services.rules.list(INSTALLATION, id)).rules).toHaveLength(1);
  expect(expectOk(await services.rules.list(INSTALLATION, 'installation')).rules).toEqual([]);
});
