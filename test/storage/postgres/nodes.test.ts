import { expect, test } from 'bun:test';
import { startNodeReport } from '../../../src/jobs/nodeReport.ts';
import { createLog } from '../../../src/lib/log.ts';
import { type Instant, systemClock } from '../../../src/lib/time.ts';
import { LOG_LIMITS } from '../../../src/server/logLimits.ts';
import { connect } from '../../../src/storage/postgres/connect.ts';
import { createPostgresEngine } from '../../../src/storage/postgres/engine.ts';
import { createNodeStore } from '../../../src/storage/postgres/nodes.ts';
import { startPostgres } from '../../support/postgres.ts';
import { locationOf } from '../../support/sharedPostgres.ts';

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
