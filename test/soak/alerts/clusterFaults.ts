import { type ExampleCluster, startExampleCluster } from '../../deploy/exampleCluster.ts';
import { BINARY } from '../../e2e/support.ts';
import { spawnServer } from '../../support/binary.ts';
import { METRICS_TOKEN } from '../../support/prometheus.ts';
import { withClock } from '../clock.ts';
import { dropPackets, restorePackets } from '../packets.ts';
import { type Fault, startVisitors, type Target } from './targets.ts';

/** Faults in the example cluster in `deploy/cluster`, whose first node is the target. */

/** Starts a cluster. The visitors use the first node, so that HAProxy does not hide its failures. */
async function startCluster(inject: (cluster: ExampleCluster) => unknown): Promise<Target> {
  const cluster = await startExampleCluster({ POSTERN_METRICS_TOKEN: METRICS_TOKEN, POSTERN_THREADS: '1' });
  const { url } = cluster.nodes[0];
  const stopVisitors = startVisitors(url, { sitekey: cluster.keys.sitekey, verifyKey: cluster.keys.key });
  return {
    url,
    inject: () => inject(cluster),
    async stop() {
      stopVisitors();
      await cluster.stop();
    },
  };
}

/** Restarts the first node with a different time. @param offset of faketime(1) */
const changeClock =
  (offset: string) =>
  async ({ nodes, settings }: ExampleCluster): Promise<void> => {
    await nodes[0].end('SIGTERM');
    // The node never becomes ready.
    const { port } = new URL(nodes[0].url);
    spawnServer(withClock(offset, BINARY), { ...settings, POSTERN_PORT: port });
  };

/** A cluster whose first node loses all packets. */
async function withoutMachine(): Promise<Target> {
  const target = await startCluster(({ nodes }) => dropPackets(Number(new URL(nodes[0].url).port)));
  return {
    ...target,
    async stop() {
      restorePackets();
      await target.stop();
    },
  };
}

export const CLUSTER_FAULTS: readonly Fault[] = [
  { name: 'none, with PostgreSQL', alerts: [], start: () => startCluster(() => {}) },
  {
    name: 'the clock of a node is three hours fast',
    alerts: ['PosternClockWrong'],
    start: () => startCluster(changeClock('+3h')),
  },
  {
    name: 'the clock of a node is three hours slow',
    alerts: ['PosternClockWrong'],
    start: () => startCluster(changeClock('-3h')),
  },
  { name: 'the machine of a node does not respond', alerts: ['PosternDown'], start: withoutMachine },
  {
    name: 'the primary is frozen (SIGSTOP) for 12 s',
    alerts: ['PosternClaimsFailing'],
    start: () =>
      startCluster(async ({ primary }) => {
        primary.freeze();
        await Bun.sleep(12_000);
        primary.thaw();
      }),
  },
  {
    name: 'all PostgreSQL servers stop',
    alerts: [
      'PosternDatabaseDown',
      'PosternClaimsNotWritable',
      'PosternClaimsFailing',
      'PosternServerErrors',
      'PosternJobFailing',
      'PosternMaintenance',
    ],
    start: () =>
      startCluster(async ({ primary, standby }) => {
        await primary.kill();
        await standby.kill();
      }),
  },
  {
    name: 'the only synchronous standby is killed',
    alerts: ['PosternClaimsNotWritable', 'PosternClaimsFailing', 'PosternServerErrors'],
    start: () => startCluster(({ standby }) => standby.kill()),
  },
  {
    name: 'after a failover, the old primary runs again and waits for no standby',
    alerts: ['PosternTwoPrimaries'],
    start: () =>
      startCluster(async ({ primary, standby }) => {
        await primary.configure({ synchronous_standby_names: '' });
        await primary.kill();
        await standby.promote();
        await primary.start();
      }),
  },
];
