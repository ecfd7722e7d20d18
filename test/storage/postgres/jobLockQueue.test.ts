import { expect, test } from 'bun:test';
import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Database } from '../../../src/storage/postgres/connect.ts';
import { createJobLocks } from '../../../src/storage/postgres/shared/jobLocks.ts';
import { withSeeds } from '../../support/randomScheduler.ts';

/** A server with sessions that can lose statements, as a network that fails. */
function createServer(hold: () => Promise<void>, isLost: () => boolean) {
  const locks = new Map<unknown, number>();
  let sessions = 0;

  function open(): Database {
    const pid = ++sessions;
    const closed = Promise.withResolvers<never>();
    closed.promise.catch(() => {});

    function apply(statement: string, key: unknown): object {
      if (statement.includes('try_advisory')) {
        const locked = (locks.get(key) ?? pid) === pid;
        if (locked) locks.set(key, pid);
        return { pid, locked };
      }
      if (statement.includes('unlock') && locks.get(key) === pid) locks.delete(key);
      return { pid };
    }

    async function execute(query: SQL): Promise<readonly object[]> {
      const { sql, params } = new PgDialect().sqlToQuery(query);
      const losesStatement = isLost();
      await Promise.race([hold(), closed.promise]);
      if (losesStatement) await closed.promise;
      const row = apply(sql, params[1]);
      // The answer can also be lost.
      await Promise.race([isLost() ? closed.promise : hold(), closed.promise]);
      return [row];
    }

    async function close(): Promise<void> {
      closed.reject(new Error('the connection was closed'));
      for (const [key, owner] of locks) if (owner === pid) locks.delete(key);
    }

    return { orm: { execute }, close } as unknown as Database;
  }
  return { open, locks };
}

test('every job ends and its lock is free afterward, in every order of answers, lost statements, and sessions', async () => {
  await withSeeds(400, async ({ random, hold, holdOrFail, time, mustSettle, run }) => {
    const { open, locks } = createServer(hold, () => random(6) === 0);
    const nodes = [createJobLocks(open, time.timer), createJobLocks(open, time.timer)];
    const running = new Set<string>();
    const start = () => {
      const name = `job ${random(2)}`;
      const node = random(2);
      const job = nodes[node]?.exclusively(name, async () => {
        const key = `${name} on node ${node}`;
        // A node never runs a job twice at the same time.
        expect(running.has(key)).toBe(false);
        running.add(key);
        await holdOrFail().finally(() => running.delete(key));
      });
      if (job !== undefined) mustSettle(name, job).catch(() => {});
    };
    await run(Array(10).fill(start));
    expect([...locks]).toEqual([]);
    await Promise.all(nodes.map(({ close }) => close()));
  });
});
