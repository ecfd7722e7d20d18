import { HOUR } from '../../../../src/lib/time.ts';
import type { Exclusively } from '../../../../src/model/ports/cluster.ts';
import { openLedger as openPostgresLedger } from '../../../../src/storage/postgres/ledger/ledger.ts';
import { openLedger as openSqliteLedger } from '../../../../src/storage/sqlite/ledger/ledger.ts';
import * as ledgerThread from '../../../../src/storage/sqlite/ledger/ledgerThread.ts';
import type { ServerLedger } from '../../../../src/storage/storage.ts';
import { createHistory, type History, requireResults } from '../history.ts';
import { createDisk } from '../world/disk.ts';
import { createThread, endThread, killProcess, type Simulation, type Thread } from '../world/kernel.ts';
import { FRESH_PUZZLES, PUZZLES } from '../world/payloads.ts';
import { startWorker } from '../world/ports.ts';
import { createDatabase } from '../world/postgres.ts';
import { type Entry, type Node, startNode } from './ledgerNode.ts';
import { createVisitors } from './visitors.ts';

/** The module hook turns the ledger thread into a function, so that each schedule can start it again; see modules.ts. */
const { boot } = ledgerThread as unknown as { readonly boot: (self: unknown) => void };

type Engine = {
  /** The most processes that share the storage. */
  readonly nodes: number;
  readonly openLedger: (node: Node) => Promise<ServerLedger>;
  /** The kinds of failures, each of which starts now and ends with `heal`. */
  readonly failures: Readonly<Record<string, (cluster: Cluster) => void>>;
  readonly heal: () => void;
  /** All machines fail, and start again. */
  readonly failCompletely: (cluster: Cluster) => void;
};

type Cluster = {
  readonly nodes: () => readonly Node[];
  /** Kills a server, which starts again after a moment. */
  readonly kill: (node: Node) => void;
  /** Stops a server like SIGTERM; then it starts again. */
  readonly stop: (node: Node) => void;
};

const FILE = '/simulated/claims.sqlite';
/** The purge of claims runs in second 17 of each minute. */
const PURGE_MS = 7000;
/** After this time without failures, all waits have ended: time limits of 5 and 10 s, and their retries. */
const QUIET_MS = 13_000;

/** Servers with one claims file on a disk that fails. */
export function runSqliteLedger(simulation: Simulation): History {
  const disk = createDisk(simulation);
  (globalThis as { simulatedDisk?: unknown }).simulatedDisk = disk.open;
  const threads = new Map<Node, Thread>();
  const id = new Uint8Array(16).fill(7);
  let isFirst = true;
  const { random, pick, upTo } = simulation;
  // A power failure may undo commits that are not flushed, so with `normal`, only processes fail.
  const durability = random(5) === 0 ? 'normal' : 'full';

  async function openLedger(node: Node): Promise<ServerLedger> {
    const start = () => {
      const thread = createThread(node.process, 'ledger');
      threads.set(node, thread);
      return startWorker(simulation, thread, boot) as unknown as Worker;
    };
    const ledger = await openSqliteLedger({
      file: FILE,
      durability,
      identity: { id, isFirst },
      start,
    });
    isFirst = false;
    await ledger.advanceCounter({ value: random(1000), base: 0 });
    return ledger;
  }

  const kill = ({ nodes, kill }: Cluster) => {
    const node = pick(nodes());
    kill(node);
    disk.ended(({ process }) => process === node.process, nodes().length === 0);
  };
  function failCompletely({ nodes, kill }: Cluster): void {
    for (const node of nodes()) kill(node);
    if (durability === 'full') disk.powerFailure();
    else disk.ended(() => true, true);
  }

  return runLedger(simulation, {
    nodes: 2,
    openLedger,
    failCompletely,
    heal: () => Object.assign(disk.faults, { failing: 0, isFull: false, slowestMs: 2 }),
    failures: {
      'all servers fail': failCompletely,
      'a server is killed': kill,
      'a ledger thread ends': ({ nodes }) => {
        const thread = threads.get(pick(nodes()));
        if (!thread?.isAlive) return;
        endThread(thread, simulation.now());
        disk.ended((ended) => ended === thread, false);
      },
      'the disk fails': () => Object.assign(disk.faults, { failing: 5 + random(60) }),
      'the disk is full': () => Object.assign(disk.faults, { isFull: true }),
      'the disk is slow': () => Object.assign(disk.faults, { slowestMs: 20 + upTo(pick([100, 1000, 9000])) }),
    },
  });
}

/** Nodes with one PostgreSQL database, whose connections fail. */
export function runPostgresLedger(simulation: Simulation): History {
  const database = createDatabase(simulation);
  const { random, pick, upTo } = simulation;
  const { faults } = database;
  // A purge on a silent server keeps its connection for a minute, so one connection would not be enough.
  const size = 2 + random(3);
  const heal = () =>
    Object.assign(faults, { lostBefore: 0, lostAfter: 0, silent: 0, failing: 0, late: 0, slowestMs: 2 });
  return runLedger(simulation, {
    nodes: 3,
    openLedger: () => openPostgresLedger({ open: database.open, durability: 'full', size }),
    heal,
    failCompletely({ nodes, kill }) {
      for (const node of nodes()) if (random(2) === 0) kill(node);
      database.failOver(100);
    },
    failures: {
      'connections are lost': () => Object.assign(faults, { lostBefore: random(20), lostAfter: random(30) }),
      'the server is silent': () => Object.assign(faults, { silent: 5 + random(30) }),
      'statements fail': () => Object.assign(faults, { failing: 5 + random(40) }),
      'statements arrive late': () => Object.assign(faults, { late: 5 + random(30) }),
      'the network is slow': () => Object.assign(faults, { slowestMs: 20 + upTo(pick([100, 1000, 3000])) }),
      'the primary fails': () => database.failOver(upTo(3000)),
      'a server is killed': ({ nodes, kill }) => kill(pick(nodes())),
    },
  });
}

function runLedger(simulation: Simulation, engine: Engine): History {
  const { random, upTo, pick, schedule, runUntil, trace } = simulation;
  const history = createHistory();
  const nodes = new Set<Node>();
  const jobs = new Map<string, Node>();
  const maxCount = 1 + random(3);
  const [requestThreads, cacheSize, isFaulty] = [random(3), pick([8, 64]), random(4) > 0];
  const clock = { offsetMs: 0, era: 0 };

  const exclusively =
    (node: Node): Exclusively =>
    async (name, work) => {
      if (jobs.get(name)?.process.isAlive) return undefined;
      jobs.set(name, node);
      try {
        return await work({ isHeld: () => node.process.isAlive });
      } finally {
        jobs.delete(name);
      }
    };

  function start(name: string): void {
    const options = { simulation, history, name, maxCount, requestThreads, cacheSize, exclusively };
    nodes.add(
      startNode({
        ...options,
        clockOffsetMs: clock.offsetMs,
        openLedger: engine.openLedger,
        onFailedStart: kill,
      }),
    );
  }

  function kill(node: Node): void {
    if (!nodes.delete(node)) return;
    trace(() => `${node.process.name} is killed`);
    killProcess(node.process);
    schedule(undefined, 20 + upTo(400), () => start(node.process.name));
  }

  function stop(node: Node): void {
    const { ledger, main } = node;
    if (ledger === undefined) return;
    trace(() => `${node.process.name} stops`);
    simulation.runOn(main, () => {
      const end = () => kill(node);
      ledger.close().then(end, end);
    });
  }

  function setClock(offsetMs: number): void {
    clock.offsetMs = offsetMs;
    clock.era++;
    trace(() => `all clocks are set to ${offsetMs / HOUR} h`);
    for (const { process } of nodes) process.clockOffsetMs = offsetMs;
  }

  const cluster: Cluster = { nodes: () => [...nodes], kill, stop };
  const entries = (): readonly Entry[] =>
    [...nodes].flatMap((node) => node.entries.filter(({ thread }) => thread.isAlive));
  const visitors = createVisitors({ simulation, history, maxCount, entries, era: () => clock.era });
  const failures = {
    ...engine.failures,
    'a server stops': ({ nodes: all }: Cluster) => stop(pick(all())),
    'the clocks are set forward': () => setClock(pick([1.2, 3.2]) * HOUR),
  };

  function fail(): void {
    const name = pick(Object.keys(failures) as (keyof typeof failures)[]);
    trace(() => `failure: ${name}`);
    if (nodes.size > 0) failures[name](cluster);
  }

  function purge(): void {
    const node = pick([...nodes]);
    if (!node?.process.isAlive) return;
    simulation.runOn(node.main, () => void exclusively(node)('purge-claims', node.purge).catch(() => {}));
  }

  function heal(): void {
    trace(() => 'all failures end');
    engine.heal();
    if (clock.offsetMs !== 0) setClock(0);
  }

  /** Runs until all waits have ended, including those for slow disks. */
  function passQuietTime(): void {
    const busyUntil = () =>
      Math.max(...[...nodes].flatMap(({ process }) => [...process.threads]).map((t) => t.busyUntil));
    let quietSince: number;
    do {
      quietSince = Math.max(simulation.now(), busyUntil());
      runUntil(quietSince + QUIET_MS);
    } while (busyUntil() > quietSince + QUIET_MS / 2);
    requireResults(history, simulation.now());
  }

  for (let i = 1 + random(engine.nodes); i > 0; i--) start(`server${i}`);
  const windowMs = pick([200, 2000, 5000]);
  const startAt = PURGE_MS - upTo(windowMs) - 200;
  const count = 8 + random(30);
  // Some requests arrive at the same time.
  const bursts = [upTo(windowMs), upTo(windowMs)];
  for (let i = 0; i < count; i++) {
    const at = startAt + (random(2) === 0 ? pick(bursts) : upTo(windowMs));
    schedule(undefined, at, () => visitors.visit(pick(PUZZLES)));
  }
  for (let i = random(3); i > 0; i--) schedule(undefined, startAt + upTo(windowMs), purge);
  if (isFaulty) {
    // Half of the failures occur while many requests wait. All of them begin before the last `heal`.
    const failAt = () => (random(2) === 0 ? Math.min(pick(bursts) + upTo(5), windowMs) : upTo(windowMs));
    for (let i = 1 + random(4); i > 0; i--) schedule(undefined, startAt + failAt(), fail);
    for (let i = random(3); i > 0; i--) schedule(undefined, startAt + upTo(windowMs + 1000), heal);
  }
  runUntil(startAt + windowMs);
  runUntil(startAt + windowMs + upTo(2000));
  heal();
  passQuietTime();
  if (isFaulty) engine.failCompletely(cluster);
  runUntil(simulation.now() + 3000);
  for (const puzzle of PUZZLES) visitors.visit(puzzle, { isPlain: true });
  entries().forEach((entry, i) => {
    visitors.visit(FRESH_PUZZLES[i] ?? FRESH_PUZZLES[0], { isPlain: true, entry, mustSucceed: true });
  });
  passQuietTime();
  visitors.check(isFaulty);
  for (const { ledger, process } of nodes)
    if (!ledger?.isHealthy()) history.violations.push(`${process.name} does not recover`);
  return history;
}
