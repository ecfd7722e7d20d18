import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWarnOfExpiringKeys } from '../../src/jobs/scheduledJobs.ts';
import { createLog } from '../../src/lib/log.ts';
import { DAY, HOUR, type Instant, later, toIso } from '../../src/lib/time.ts';
import type { Account } from '../../src/model/account.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { ApiKey } from '../../src/model/apiKey.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import { addUser, signedIn } from '../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let dataDir: string;
let ann: Account;
let start: Instant;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
  server = await startServer({ dataDir });
  start = server.clock.now;
  ann = await addUser(server);
});
afterEach(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function addKeyOf(account: Account, name: string, days: number): Promise<string> {
  const { apiKeys, ids } = server.app.services;
  const limits = { organizationId: undefined, isReadOnly: false, expiresAt: later(start, days * DAY) };
  const { key } = expectOk(await apiKeys.create(INSTALLATION, { account, name, scope: 'verify', ...limits }));
  return ids.seal('api-key', key.id);
}

/** Runs the job as often as its schedule. @returns what it logs */
async function logged(): Promise<readonly Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const { stores, ids } = server.app.services;
  const idsOf = (key: ApiKey) => ({
    key: ids.seal('api-key', key.id),
    user: ids.seal('account', key.accountId),
  });
  const clock = () => server.clock.now;
  const write = (line: string) => lines.push(JSON.parse(line));
  const log = createLog({ limits: LOG_LIMITS, level: 'info', format: 'json', clock, write });
  const warn = createWarnOfExpiringKeys({ ...stores, idsOf, log, clock });
  while ((await warn()) > 0);
  return lines;
}

describe('an API key that is about to expire', () => {
  test('is logged once 14, 7, and 1 days before, even across a restart', async () => {
    const key = await addKeyOf(ann, 'Backend', 30);
    const days: (readonly [day: number, warning: unknown])[] = [];
    for (let day = 0; day <= 31; day++) {
      server.clock.now = later(start, day * DAY + HOUR);
      for (const line of await logged()) days.push([day, line.days]);
      if (day !== 20) continue;
      const { now } = server.clock;
      await server.stop();
      server = await startServer({ dataDir });
      server.clock.now = now;
    }
    expect(days).toEqual([
      [16, 14],
      [23, 7],
      [29, 1],
    ]);
    server.clock.now = start;
    expect(key).toHaveLength(22);
  });

  test('is logged with its id, user, name, scope, and the time, and never its secret', async () => {
    const key = await addKeyOf(ann, 'Backend', 7);
    const user = server.app.services.ids.seal('account', ann.id);
    expect(await logged()).toEqual([
      {
        time: toIso(start),
        level: 'warn',
        event: 'api-key-expiring',
        ...{ key, user, name: 'Backend', scope: 'verify', days: 7, expires_at: toIso(later(start, 7 * DAY)) },
      },
    ]);
  });

  test('shows a banner with a link on every page to its user only', async () => {
    const key = await addKeyOf(ann, 'A & B', 13.5);
    const far = await addKeyOf(ann, 'Later', 15);
    const browser = await signedIn(server, ann);
    const path = `/portal/settings/api-keys/${key}`;
    const ben = await signedIn(server, await addUser(server));
    const words = `The API key <a href="${path}"><bdi>A &amp; B</bdi></a> expires within 14 days`;
    for (const page of ['/portal', '/portal/activity', '/portal/settings/profile', path]) {
      const { status, text } = await browser.get(page);
      expect([page, status, text.includes(words), text.includes(far) && page === '/portal']).toEqual([
        page,
        200,
        true,
        false,
      ]);
    }
    for (const page of ['/portal', '/portal/login'])
      expect((await ben.get(page)).text).not.toContain('expires within');
    server.clock.now = later(start, 13 * DAY);
    expect((await (await signedIn(server, ann)).get('/portal')).text).toContain('expires within one day');
    server.clock.now = later(start, 13.5 * DAY);
    expect((await (await signedIn(server, ann)).get('/portal')).text).not.toContain(path);
  });

  test('shows no banner after it is revoked, and the banner names at most three keys', async () => {
    const keys = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) keys.push(await addKeyOf(ann, name, 3));
    const browser = await signedIn(server, ann);
    const { text } = await browser.get('/portal');
    expect(keys.filter((key) => text.includes(key))).toEqual(keys.slice(0, 3));
    expect(text).toContain('2 more keys expire within two weeks.');
    const { apiKeys } = server.app.services;
    for (const { id } of await apiKeys.list(INSTALLATION, ann))
      expectOk(await apiKeys.revoke(INSTALLATION, id));
    expect((await browser.get('/portal')).text).not.toContain('expires within');
  });
});
