/**
 * `bun run soak:faults [NAME…]`: injects faults into the example cluster (HAProxy, two nodes, a PostgreSQL primary with a synchronous
 * standby) while clients request puzzles, solve them, and verify the solutions. For each fault, prints what the clients see, and presents
 * every accepted solution again to every node. Exits with code 1 if one is accepted twice. Uses only the loopback interface.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExampleCluster, startExampleCluster } from '../deploy/exampleCluster.ts';
import { BINARY } from '../e2e/support.ts';
import { spawnServer } from '../support/binary.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { solve } from '../support/visitor.ts';
import { withClock } from './clock.ts';
import { dropPackets, restorePackets } from './packets.ts';

const CLIENTS = 16;
/** Each client waits for this time between two visits, in milliseconds, so that the machine is not saturated. */
const PAUSE_MS = 20;
const BEFORE_MS = 10_000;
const AFTER_MS = Number(process.env.FAULT_SECONDS ?? 35) * 1000;
/** The advice in docs/how-to/verify-on-your-backend.md. */
const RETRY_AFTER_MS = 1000;

type Fault = {
  readonly name: string;
  readonly inject: (cluster: ExampleCluster) => unknown;
  /** Runs this long after the fault. */
  readonly healAfterMs?: number;
  readonly heal?: (cluster: ExampleCluster) => unknown;
};

function signalServer({ folder }: PostgresServer, signal: string): void {
  const [pid] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
  Bun.spawnSync(['pkill', `-${signal}`, '-P', String(pid)]);
  Bun.spawnSync(['kill', `-${signal}`, String(pid)]);
}

const portOf = ({ nodes }: ExampleCluster) => Number(new URL(nodes[0].url).port);

async function failOver({ primary, standby }: ExampleCluster): Promise<void> {
  await primary.kill();
  await Bun.sleep(600);
  await standby.promote();
}

const FAULTS: readonly Fault[] = [
  { name: 'a node is killed (SIGKILL)', inject: ({ nodes }) => nodes[0].kill() },
  {
    name: 'a node is stopped (SIGTERM) and started again',
    async inject(cluster) {
      await cluster.nodes[0].end('SIGTERM');
      await cluster.startNode(portOf(cluster));
    },
  },
  {
    name: 'a node is frozen (SIGSTOP) for 20 s',
    inject: ({ nodes }) => process.kill(nodes[0].pid, 'SIGSTOP'),
    healAfterMs: 20_000,
    heal: ({ nodes }) => process.kill(nodes[0].pid, 'SIGCONT'),
  },
  {
    name: 'the machine of a node does not respond for 20 s',
    inject: (cluster) => dropPackets(portOf(cluster)),
    healAfterMs: 20_000,
    heal: restorePackets,
  },
  {
    name: 'the clock of a node is three hours fast after a restart',
    async inject(cluster) {
      await cluster.nodes[0].end('SIGTERM');
      // It never becomes ready.
      spawnServer(withClock('+3h', BINARY), {
        ...cluster.settings,
        POSTERN_PORT: String(portOf(cluster)),
      });
    },
  },
  {
    name: 'the clock of a node is three hours slow after a restart',
    async inject(cluster) {
      await cluster.nodes[0].end('SIGTERM');
      spawnServer(withClock('-3h', BINARY), {
        ...cluster.settings,
        POSTERN_PORT: String(portOf(cluster)),
      });
    },
  },
  { name: 'the primary is killed, and the standby is promoted 0.6 s later', inject: failOver },
  {
    name: 'the primary is frozen (SIGSTOP) for 12 s',
    inject: ({ primary }) => signalServer(primary, 'STOP'),
    healAfterMs: 12_000,
    heal: ({ primary }) => signalServer(primary, 'CONT'),
  },
  {
    name: 'the only synchronous standby is killed, and synchronous_standby_names is emptied 20 s later',
    inject: ({ standby }) => standby.kill(),
    healAfterMs: 20_000,
    heal: ({ primary }) => primary.configure({ synchronous_standby_names: '' }),
  },
  {
    name: 'after a failover, the old primary runs again and waits for no standby',
    async inject(cluster) {
      await cluster.primary.configure({ synchronous_standby_names: '' });
      await failOver(cluster);
      await cluster.primary.start();
    },
  },
];

/** An attempt, with monotonic times in milliseconds. */
type Attempt = {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  readonly problem?: string;
};

/** Starts the clients. */
function startClients({ url, keys }: ExampleCluster) {
  const accepted: string[] = [];
  const attempts: Attempt[] = [];
  const lost: string[] = [];
  let isStopped = false;

  async function attempt<T extends { readonly problem?: string }>(kind: string, work: () => Promise<T>) {
    const from = performance.now();
    const result = await work().catch((error: Error) => ({ problem: error.message }) as T);
    attempts.push({
      kind,
      from,
      to: performance.now(),
      ...(result.problem && { problem: result.problem }),
    });
    return result;
  }

  const fetchPuzzle = () =>
    attempt('puzzle', async (): Promise<{ text?: string; problem?: string }> => {
      const response = await fetch(`${url}/puzzle?sitekey=${keys.sitekey}`, {
        headers: { Origin: 'https://example.com' },
      });
      return response.ok ? { text: await response.text() } : { problem: String(response.status) };
    });
  const verify = (payload: string) =>
    attempt('verification', async (): Promise<{ isFinal: boolean; problem?: string }> => {
      const headers = { 'X-API-Key': keys.key, 'Content-Type': 'text/plain' };
      const response = await fetch(`${url}/verify`, { method: 'POST', body: payload, headers });
      if (response.status !== 200) return { isFinal: false, problem: String(response.status) };
      const { success, code } = (await response.json()) as { success: boolean; code: number };
      return success ? { isFinal: true } : { isFinal: true, problem: `code ${code}` };
    });

  async function visit(): Promise<void> {
    const { text } = await fetchPuzzle();
    if (text === undefined) return;
    const payload = solve(text);
    let result = await verify(payload);
    if (result.problem !== undefined && result.isFinal !== true) {
      await Bun.sleep(RETRY_AFTER_MS);
      result = await verify(payload);
    }
    if (result.problem === undefined) accepted.push(payload);
    else lost.push(result.problem);
  }

  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isStopped) {
      await visit();
      await Bun.sleep(PAUSE_MS);
    }
  });
  return {
    accepted,
    attempts,
    lost,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}

function countBy(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} × ${value}`).join(', ') || 'none';
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);

/** @returns how many payloads a node accepts again */
async function presentAgain(cluster: ExampleCluster, accepted: readonly string[]): Promise<number> {
  let again = 0;
  for (const payload of accepted) {
    const headers = { 'X-API-Key': cluster.keys.key, 'Content-Type': 'text/plain' };
    const response = await fetch(`${cluster.url}/verify`, { method: 'POST', body: payload, headers });
    const { success } = (await response.json()) as { success: boolean };
    if (success) again += 1;
  }
  return again;
}

async function run(fault: Fault): Promise<number> {
  const cluster = await startExampleCluster();
  try {
    return await measure(fault, cluster);
  } finally {
    await cluster.stop();
  }
}

/** @returns how many solutions were accepted twice */
async function measure(
  { name, inject, healAfterMs = 0, heal }: Fault,
  cluster: ExampleCluster,
): Promise<number> {
  const clients = startClients(cluster);
  await Bun.sleep(BEFORE_MS);
  const faultAt = performance.now();
  const injecting = inject(cluster);
  await Bun.sleep(healAfterMs);
  await heal?.(cluster);
  await injecting;
  await Bun.sleep(Math.max(0, AFTER_MS - healAfterMs));
  await clients.stop();
  const after = clients.attempts.filter(({ to }) => to > faultAt);
  const failed = after.filter(({ problem }) => problem !== undefined);
  const slowest = Math.max(...after.map(({ from, to }) => to - from));
  const since = (times: readonly number[], choose: (...values: number[]) => number) =>
    seconds(choose(...times) - faultAt);
  const again = await presentAgain(cluster, [...new Set(clients.accepted)]);
  console.log(`\n${name}`);
  console.log(
    `  requests:              ${clients.attempts.length}, slowest after the fault ${seconds(slowest)} s`,
  );
  console.log(
    `  failed attempts:       ${countBy(failed.map(({ kind, problem }) => `${kind}: ${problem}`))}`,
  );
  if (failed.length > 0)
    console.log(
      `  time of the failures:  ${since(
        failed.map(({ from }) => from),
        Math.min,
      )} to ${since(
        failed.map(({ to }) => to),
        Math.max,
      )} s after the fault`,
    );
  console.log(`  lost after one retry:  ${countBy(clients.lost)}`);
  console.log(`  accepted, then again:  ${clients.accepted.length}, ${again}`);
  return again;
}

const wanted = process.argv.slice(2);
let acceptedTwice = 0;
for (const fault of FAULTS) {
  if (wanted.length > 0 && !wanted.some((word) => fault.name.includes(word))) continue;
  acceptedTwice += await run(fault);
}
process.exit(acceptedTwice === 0 ? 0 : 1);
