import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import { join } from 'node:path';
import { INSTALLATION } from '../../src/model/actor.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import type { Task, TaskId } from '../../src/model/task.ts';
import { userActor } from '../support/actors.ts';
import { killLeftovers, type RunningBinary, startBinary } from '../support/binary.ts';
import { expectOk } from '../support/server.ts';
import { openTestServices } from '../support/services.ts';
import { PATIENCE_MS, waitUntil } from '../support/waitUntil.ts';
import { BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 10);
const BATCH = 128;

/** A user with an organization and an API key. */
type User = { readonly key: string; readonly org: string; readonly actor: Task['actor'] };

/** A task that the server accepted. */
type Accepted = {
  readonly user: User;
  readonly id: TaskId;
  readonly kind: 'create' | 'update' | 'delete';
  /** The names of the properties to create, or the ids of the properties to change or delete, in request order. */
  readonly items: readonly string[];
};

type Entry = {
  readonly code: number;
  readonly id?: string;
  readonly name?: string;
  readonly sitekey?: string;
};
type Answer<Data> = { readonly meta: { readonly code: number }; readonly data: Data };
type TaskAnswer = Answer<{ readonly finished: boolean; readonly result: readonly Entry[] | null }>;

async function addUser(dataDir: string, number: number): Promise<User> {
  const services = await openTestServices(dataDir);
  try {
    const draft = { email: `u${number}@example.com`, name: undefined, isAdmin: false, password: undefined };
    const account = expectOk(await services.users.create(INSTALLATION, draft));
    const organization = expectOk(
      await services.organizations.create(INSTALLATION, { name: 'Org', ownerId: account.id }),
    );
    const limits = { organizationId: undefined, isReadOnly: false, expiresAt: undefined };
    const key = expectOk(
      await services.apiKeys.create(INSTALLATION, { account, name: 'Key', scope: 'portal', ...limits }),
    ).secret;
    const org = services.ids.seal('organization', organization.id);
    return { key, org, actor: userActor(account) };
  } finally {
    await services.close();
  }
}

async function ask<Data>(url: string, key: string, method: string, path: string, body?: unknown) {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return (await (await fetch(url + path, init)).json()) as Answer<Data>;
}

let counter = 0;
/** The level in the update request for a property, by name. Each property is updated at most once. */
const sentLevels = new Map<string, number>();

/**
 * Creates, changes, and deletes properties in batches, several at a time, and polls their tasks until the connection fails.
 *
 * @param accepted receives every task whose id was in a response
 * @param onEnd called for each finished task
 */
async function work(url: string, user: User, accepted: Accepted[], onEnd: () => void): Promise<void> {
  /** Existing properties, one array per created batch. */
  const existing: (readonly Entry[])[] = [];

  async function start(
    kind: Accepted['kind'],
    method: string,
    path: string,
    items: readonly string[],
    body: unknown,
  ) {
    const { meta, data } = await ask<{ id: TaskId }>(url, user.key, method, path, body);
    expect(meta).toMatchObject({ code: 1000 });
    accepted.push({ user, id: data.id, kind, items });
    return data.id;
  }

  async function poll(id: TaskId): Promise<readonly Entry[]> {
    for (;;) {
      const { data } = await ask<TaskAnswer['data']>(url, user.key, 'GET', `/asynctask/${id}`);
      if (!data.finished) continue;
      onEnd();
      return data.result ?? [];
    }
  }

  async function create(): Promise<void> {
    const names = Array.from({ length: BATCH }, () => `Shop ${++counter}`);
    const body = names.map((name) => ({ name, domain: 'example.com' }));
    const made = await poll(await start('create', 'POST', `/org/${user.org}/properties`, names, body));
    existing.push(made);
  }

  for (;;) {
    await Promise.all([create(), create()]);
    const [changed = [], deleted = []] = existing.splice(0, 2);
    counter++;
    const level = 1 + (counter % 120);
    for (const { name = '' } of changed) sentLevels.set(name, level);
    const ids = changed.map(({ id = '' }) => id);
    const gone = deleted.map(({ id = '' }) => id);
    const updates = ids.map((id) => ({ id, level }));
    // Half of the batch is deleted first, so that deleting the whole batch is rejected for that half (1212).
    const half = gone.slice(0, BATCH / 2);
    const started = await Promise.all([
      start('update', 'PUT', '/properties', ids, updates),
      start('delete', 'DELETE', '/properties', half, half),
    ]);
    await Promise.all(started.map(poll));
    await poll(await start('delete', 'DELETE', '/properties', gone, gone));
  }
}

async function workUntilKilled(server: RunningBinary, users: readonly User[]): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  let ended = 0;
  const onEnd = () => {
    ended++;
  };
  const broken = users.map((user) =>
    work(server.url, user, accepted, onEnd).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  await waitUntil('tasks end', () => ended >= 2);
  await Bun.sleep(Math.random() * 200); // a random moment, not a wait for an event
  await server.kill();
  for (const error of await Promise.all(broken)) expect(String(error)).toMatch(/connect|socket|closed|JSON/i);
  return accepted;
}

type Row = {
  readonly id: number;
  readonly name: string;
  readonly sitekey: string;
  readonly deleted_at: number | null;
  readonly level: number;
};
type TaskRow = {
  readonly id: TaskId;
  readonly task_order: string;
  readonly results: string | null;
  readonly finished_at: number | null;
};

/** The contents of the database as the next server will find them, read without starting the program. */
function readFile(dataDir: string) {
  const database = new Database(join(dataDir, 'postern.sqlite'), { readonly: true });
  try {
    const properties = database.query<Row, []>('SELECT * FROM properties').all();
    const tasks = database.query<TaskRow, []>('SELECT * FROM tasks ORDER BY number').all();
    return { properties, tasks };
  } finally {
    database.close();
  }
}

type File = ReturnType<typeof readFile>;

/** Expects each task to be finished with all its properties, or unfinished without any. @returns the number of each */
function expectWhole({ properties, tasks }: File): { finished: number; unfinished: number } {
  const byName = Map.groupBy(properties, ({ name }) => name);
  const bySitekey = new Map(properties.map((row) => [row.sitekey, row]));
  let finished = 0;
  const owned = new Set<string>();
  for (const task of tasks) {
    expect(task.results === null).toBe(task.finished_at === null);
    const order = JSON.parse(task.task_order) as Task['order'];
    if (task.results !== null) finished++;
    const results =
      task.results === null ? undefined : (JSON.parse(task.results) as NonNullable<Task['results']>);
    if (order.kind !== 'create-properties') continue;
    // A finished task does not contain its items any more, but its results contain the names.
    const names = (results ?? order.items).map(({ name }) => name ?? '');
    expect(names).toHaveLength(BATCH);
    for (const [i, name] of names.entries()) {
      const found = byName.get(name) ?? [];
      expect([task.id, name, found.length]).toEqual([task.id, name, results === undefined ? 0 : 1]);
      if (results === undefined) continue;
      const { sitekey = '', propertyId } = results[i] ?? {};
      expect(bySitekey.get(sitekey)).toMatchObject({ name, id: propertyId as number });
      owned.add(sitekey);
    }
  }
  // A property without a finished task would mean that a task was applied without being marked as finished.
  expect(properties.filter(({ sitekey }) => !owned.has(sitekey))).toEqual([]);
  return { finished, unfinished: tasks.length - finished };
}

/** Expects that only finished tasks have deleted or changed properties. */
function expectUntouched({ properties, tasks }: File): void {
  const deleting = new Set<number>();
  const levels = new Map<number, number>();
  for (const task of tasks) {
    if (task.finished_at === null) continue;
    const order = JSON.parse(task.task_order) as Task['order'];
    const results = JSON.parse(task.results ?? '[]') as NonNullable<Task['results']>;
    for (const result of results) {
      if (result.problem !== undefined || result.propertyId === undefined) continue;
      if (order.kind === 'delete-properties') {
        expect(deleting.has(result.propertyId)).toBe(false);
        deleting.add(result.propertyId);
      }
      if (order.kind === 'update-properties') {
        levels.set(result.propertyId, sentLevels.get(result.name ?? '') ?? 0);
      }
      if (order.kind === 'create-properties') {
        levels.set(result.propertyId, DEFAULT_SETTINGS.level);
      }
    }
  }
  const wrong = properties.filter(
    ({ id, deleted_at, level }) => (deleted_at !== null) !== deleting.has(id) || levels.get(id) !== level,
  );
  expect(wrong).toEqual([]);
}

/** Expects that every accepted task finishes, and that its result matches the database. */
async function expectAllFinished(
  server: RunningBinary,
  dataDir: string,
  accepted: readonly Accepted[],
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  const results = new Map<TaskId, readonly Entry[]>();
  for (const { id, user } of accepted) {
    for (;;) {
      const { meta, data } = await ask<TaskAnswer['data']>(server.url, user.key, 'GET', `/asynctask/${id}`);
      expect([id, meta.code]).toEqual([id, 1000]);
      if (data.finished) results.set(id, data.result ?? []);
      if (data.finished) break;
      if (performance.now() > deadline) throw new Error(`the task ${id} does not finish`);
    }
  }
  const bySitekey = new Map(readFile(dataDir).properties.map((row) => [row.sitekey, row]));
  for (const { id, kind, items } of accepted) {
    const result = results.get(id) ?? [];
    expect(result).toHaveLength(items.length);
    for (const [i, entry] of result.entries()) {
      expect(entry).toMatchObject(
        kind === 'create' ? { code: 1000, name: items[i] ?? '' } : { id: items[i] ?? '' },
      );
      expect([1000, 1212]).toContain(entry.code);
      const row = bySitekey.get(entry.sitekey ?? '');
      if (entry.code === 1000) expect(row?.name).toBe(entry.name ?? '');
      if (kind === 'delete') expect(entry.code === 1212 || row?.deleted_at !== null).toBe(true);
    }
  }
}

describe('a server that is killed at a random moment', () => {
  testInFolder(
    `has applied each batch completely or not at all, and finishes accepted batches after a restart: ${ROUNDS} rounds`,
    async (dataDir) => {
      const users = [await addUser(dataDir, 1), await addUser(dataDir, 2)];
      const settings = {
        POSTERN_DATA_DIR: dataDir,
        POSTERN_DNS_CHECK: 'off',
        POSTERN_PLAN_PROPERTIES: '10000000',
        ...HIGH_LIMITS,
      };
      const total = { accepted: 0, finished: 0, unfinished: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const accepted = await workUntilKilled(await startBinary(BINARY, settings), users);
        const file = readFile(dataDir);
        const { finished, unfinished } = expectWhole(file);
        expectUntouched(file);
        const kept = new Set(file.tasks.map(({ id }) => id));
        expect(accepted.filter(({ id }) => !kept.has(id))).toEqual([]);
        total.accepted += accepted.length;
        total.finished += finished;
        total.unfinished += unfinished;
        const server = await startBinary(BINARY, settings);
        await expectAllFinished(server, dataDir, accepted);
        await server.kill();
        cleanUp(dataDir);
      }
      await killLeftovers();
      if (process.env.KILL_ROUNDS !== undefined) console.log(total);
      // Otherwise, no task was interrupted, and the test proves nothing.
      expect(total.finished).toBeGreaterThan(ROUNDS);
      expect(total.unfinished).toBeGreaterThan(0);
    },
    120_000 + ROUNDS * 30_000,
  );
});

/** Deletes finished tasks and all properties, so that later rounds are as fast as the first one. */
function cleanUp(dataDir: string): void {
  const database = new Database(join(dataDir, 'postern.sqlite'));
  database.run('DELETE FROM tasks WHERE finished_at IS NOT NULL');
  database.run('DELETE FROM properties');
  database.close();
}
