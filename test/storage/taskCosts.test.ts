import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Instant, later } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { TaskId } from '../../src/model/task.ts';
import { createSqliteStores } from '../../src/storage/sqlite/createStores.ts';
import { openMain } from '../../src/storage/sqlite/open.ts';
import { AMPLE, now } from '../contract/world.ts';
import { userActor } from '../support/actors.ts';
import { emailOf } from '../support/email.ts';
import { collectStatements, planOf } from '../support/queryPlans.ts';
import { expectOk } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-tasks-'));
const database = openMain(folder);

afterEach(() => {
  database.raw.close();
  rmSync(folder, { recursive: true, force: true });
});

// The runner's check, once per second, read all tasks of the last seven days with their orders and results.
test('no query of tasks reads all of them', async () => {
  const statements = collectStatements(database);
  const { accounts, tasks } = createSqliteStores(database, AMPLE);
  const account = {
    email: emailOf('a@example.com'),
    name: 'Someone',
    isAdmin: false,
    passwordHash: undefined,
  };
  const accountId = expectOk(await accounts.create(account, now)).id;
  const actor = userActor({ id: accountId });
  const id = '0'.repeat(32) as TaskId;
  const order = { kind: 'delete-properties', items: [1 as PropertyId] } as const;
  const lease = { token: 'a', until: later(now, 1) };
  expectOk(await tasks.enqueue({ id, actor, order }, { unfinished: 1, total: 1 }, now));
  await tasks.releaseAbandoned();
  await tasks.resultsOf([id]);
  await tasks.claim(lease, now);
  await tasks.renew(id, lease);
  await tasks.postpone(id, 'a', now);
  await tasks.byId(id, actor);
  await tasks.page(actor, { offset: 0, limit: 10 });
  await tasks.finish(id, 'a', [{ do: 'delete', id: 1 as PropertyId }], now);
  await tasks.purge(0 as Instant);
  const plans = statements.map((text) => [text, planOf(database, text)] as const);
  expect(plans.length).toBeGreaterThan(8);
  const readers = plans.filter(([text]) => /\btasks\b/.test(text));
  expect(readers.length).toBeGreaterThan(7);
  expect(readers.some(([, plan]) => plan.includes('USING INDEX tasks_unfinished'))).toBe(true);
  expect(readers.filter(([, plan]) => /SCAN (?:tasks|first)\b(?!.*USING)/.test(plan))).toEqual([]);
});
