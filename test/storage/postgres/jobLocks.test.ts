import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SQL } from 'bun';
import type { JobLock } from '../../../src/model/ports/cluster.ts';
import { StoreFailure } from '../../../src/model/storeFailure.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { createJobLocks, type JobLocks } from '../../../src/storage/postgres/shared/jobLocks.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { emptyDatabase, locationOf, sharedPostgres } from '../../support/sharedPostgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';

let address: DatabaseAddress;
let admin: SQL;
let nodes: readonly [JobLocks, JobLocks];

beforeAll(async () => {
  const server = await sharedPostgres();
  address = await emptyDatabase();
  admin = server.connectAdmin(address);
  const open = () => createJobLocks(() => connect(locationOf(address), { max: 1 }));
  nodes = [open(), open()];
});

afterAll(async () => {
  await Promise.all(nodes.map(({ close }) => close()));
  await admin.close();
  await (await sharedPostgres()).dropDatabase(address);
});

/** Starts a job that runs until the test ends it. */
function startJob({ exclusively }: JobLocks, name: string) {
  const started = Promise.withResolvers<JobLock>();
  const ended = Promise.withResolvers<string>();
  const result = exclusively(name, (lock) => {
    started.resolve(lock);
    return ended.promise;
  });
  return { started: started.promise, result, end: () => ended.resolve(name) };
}

/** Ends all sessions that have locks, as if their connections were lost. */
async function endSessions(): Promise<void> {
  await admin`
    SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = ${address.name})`;
}

test('a job that two nodes start at the same time runs once, and can run on either node later', async () => {
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    runs++;
    await promise;
    return 'done';
  };
  const results = [...nodes, ...nodes].map(({ exclusively }) => exclusively('purge', work));
  // Three calls end while the job is running.
  let ended = 0;
  for (const result of results) void result.then(() => ended++);
  await waitUntil('the other calls have ended', () => ended === 3);
  resolve();
  expect((await Promise.all(results)).toSorted()).toEqual(['done', undefined, undefined, undefined]);
  expect(runs).toBe(1);
  for (const { exclusively } of nodes) expect(await exclusively('purge', async () => 'again')).toBe('again');
});

test('different jobs run at the same time', async () => {
  const jobs = [startJob(nodes[0], 'a'), startJob(nodes[0], 'b'), startJob(nodes[1], 'c')];
  for (const { started } of jobs) expect((await started).isHeld()).toBe(true);
  for (const { end } of jobs) end();
  expect(await Promise.all(jobs.map(({ result }) => result))).toEqual(['a', 'b', 'c']);
});

test('a job that fails releases its lock', async () => {
  const failure = await nodes[0]
    .exclusively('purge', () => Promise.reject(new Error('broken')))
    .catch(String);
  expect(failure).toBe('Error: broken');
  expect(await nodes[1].exclusively('purge', async () => 1)).toBe(1);
});

test('a job learns that its connection was lost, and another node can run it', async () => {
  const [job, other] = [startJob(nodes[0], 'purge'), startJob(nodes[0], 'other')];
  const [lock] = await Promise.all([job.started, other.started]);
  expect(await nodes[1].exclusively('purge', async () => 1)).toBeUndefined();
  await endSessions();
  await waitUntil('the job has lost its lock', () => !lock.isHeld());
  expect((await other.started).isHeld()).toBe(false);
  expect(await nodes[1].exclusively('purge', async () => 1)).toBe(1);
  // The node itself does not start the job again before it has ended.
  expect(await nodes[0].exclusively('purge', async () => 1)).toBeUndefined();
  job.end();
  other.end();
  expect(await Promise.all([job.result, other.result])).toEqual(['purge', 'other']);
  expect(await nodes[0].exclusively('purge', async () => 2)).toBe(2);
});

test('a node that starts a job after its connection was lost does not keep a lock', async () => {
  expect(await nodes[0].exclusively('purge', async () => 1)).toBe(1);
  await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${address.name} AND pid <> pg_backend_pid()`;
  await waitUntil('a job runs', async () => {
    const run = nodes[0].exclusively('purge', async (lock) => lock.isHeld());
    return (await run.catch(() => undefined)) === true;
  });
  const rows = await admin`SELECT 1 FROM pg_locks WHERE locktype = 'advisory'`;
  expect(rows).toHaveLength(0);
});

test('a killed process releases its lock', async () => {
  const holder = Bun.spawn(
    [process.execPath, `${import.meta.dir}/../../support/jobLockHolder.ts`, address.url, 'purge'],
    {
      stdout: 'pipe',
    },
  );
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('locked\n');
  expect(await nodes[0].exclusively('purge', async () => 1)).toBeUndefined();
  holder.kill('SIGKILL');
  await waitUntil('the lock is free', async () => (await nodes[0].exclusively('purge', async () => 1)) === 1);
});

test('without a database, a job fails and does not run', async () => {
  const url = { ...locationOf(address).url, hosts: [{ host: '127.0.0.1', port: 1 }] };
  const locks = createJobLocks(() => connect({ url }, { max: 1 }));
  let hasRun = false;
  const failure = await locks
    .exclusively('purge', async () => {
      hasRun = true;
    })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreFailure);
  expect(hasRun).toBe(false);
  await locks.close();
});
