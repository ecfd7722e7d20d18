import { describe, expect, test } from 'bun:test';
import { startNodeReport } from '../../../src/jobs/nodeReport.ts';
import { createLog } from '../../../src/lib/log.ts';
import { type Instant, systemClock } from '../../../src/lib/time.ts';
import { LOG_LIMITS } from '../../../src/model/logEvents.ts';
import type { NodeStore } from '../../../src/model/ports/cluster.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { createPostgresEngine } from '../../../src/storage/postgres/engine.ts';
import { createNodeStore } from '../../../src/storage/postgres/nodes.ts';
import { startPostgres } from '../../support/postgres.ts';
import { locationOf, migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';

/** Half of it exceeds the tolerated difference of two seconds. */
const FROZEN_MS = 6000;

// The middle of a round trip of 12 seconds differed from the time of the database by 6 seconds, so the node logged clock-differs.
test('a database that was frozen during the measurement causes no false alarm', async () => {
  const server = await startPostgres();
  const location = locationOf(await server.createDatabase());
  await createPostgresEngine(location).migrate('');
  const database = connect(location, { max: 1 });
  const logged: string[] = [];
  const failures: unknown[] = [];
  const { run, stop } = startNodeReport({
    nodes: createNodeStore(database.orm),
    node: { id: 'a', name: 'node-a', version: '1.2.3' },
    clock: systemClock,
    onFailure: (error) => failures.push(error),
    log: createLog({
      limits: LOG_LIMITS,
      level: 'info',
      format: 'json',
      clock: () => 0 as Instant,
      write: (line) => logged.push(line),
    }),
    everyMs: 2 ** 31 - 1,
  });
  try {
    await run();
    server.freeze();
    const report = run();
    await Bun.sleep(FROZEN_MS);
    server.thaw();
    await report;
    expect([logged, failures]).toEqual([[], []]);
  } finally {
    await stop();
    await database.close();
    await server.remove();
  }
});

describe('the clocks of other nodes', () => {
  const node = (id: string, name = id) => ({ id, name, version: '1.2.3' });

  async function useStore(work: (store: NodeStore) => Promise<void>): Promise<void> {
    const address = await migratedDatabase();
    const database = connect(locationOf(address), { max: 1 });
    await work(createNodeStore(database.orm));
    await database.close();
    await (await sharedPostgres()).dropDatabase(address);
  }

  // A restarted node compared its clock with that of its earlier run.
  test('do not contain the clock of an earlier run of a node', () =>
    useStore(async (store) => {
      const othersOf = async (id: string, name: string, isFirst: boolean) =>
        (await store.report(node(id, name), systemClock, isFirst)).otherOffsetsMs.length;
      expect(await othersOf('a', 'web:8080', true)).toBe(0);
      expect(await othersOf('b', 'web:8081', true)).toBe(1);
      expect(await othersOf('c', 'web:8080', true)).toBe(1);
      expect(await othersOf('b', 'web:8081', false)).toBe(1);
      // Another node with the same name, on another machine, still runs.
      expect(await othersOf('a', 'web:8080', false)).toBe(2);
      expect(await othersOf('c', 'web:8080', false)).toBe(2);
    }));

  // A stopped node counted for another 30 seconds.
  test('do not contain the clock of a node that was stopped', () =>
    useStore(async (store) => {
      const log = createLog({
        limits: LOG_LIMITS,
        level: 'error',
        format: 'json',
        clock: systemClock,
        write() {},
      });
      const common = { nodes: store, clock: systemClock, onFailure() {}, log, everyMs: 2 ** 31 - 1 };
      const stopped = startNodeReport({ ...common, node: node('a') });
      const running = startNodeReport({ ...common, node: node('b') });
      await stopped.run();
      await running.run();
      expect(running.clock()?.otherOffsetsMs).toHaveLength(1);
      await stopped.stop();
      await running.run();
      expect(running.clock()?.otherOffsetsMs).toEqual([]);
      await running.stop();
    }));
});
