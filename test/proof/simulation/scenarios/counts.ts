import { startCountExchange } from '../../../../src/jobs/countExchange.ts';
import type { Instant } from '../../../../src/lib/time.ts';
import type { CountExchange } from '../../../../src/model/ports/cluster.ts';
import type { CountKind, Counts, SharedCounts } from '../../../../src/model/sharedCounts.ts';
import { createFakeExchange } from '../../../support/countNodes.ts';
import { createHistory, type History } from '../history.ts';
import { createProcess, createThread, killProcess, type Simulation, type Thread } from '../world/kernel.ts';
import { silentLog } from './ledgerNode.ts';

/** A node that counts events. Each event has its own key, so that it can be traced. */
type CountingNode = {
  readonly name: string;
  readonly thread: Thread;
  readonly collected: Map<number, number>;
  /** How often the node has received each event of the others. */
  readonly received: Map<number, number>;
  lost: number;
};

/** Counts that are older than this are not sent, in milliseconds. */
const SEND_WITHIN_MS = 10_000;
/** A node tries again after 250 ms; the longest call below takes 3 s. */
const QUIET_MS = 5000;

/** Nodes that exchange counts through a database that fails before or after it stores a batch. */
export function runCountExchange(simulation: Simulation): History {
  const { random, upTo, pick, schedule, chance, trace } = simulation;
  const history = createHistory();
  const store = createFakeExchange(() => simulation.now());
  const faults = { before: 0, after: 0, slowestMs: 5 };
  const nodes: CountingNode[] = [];
  const events: { readonly key: number; readonly by: CountingNode; readonly at: number }[] = [];

  /** The node's connection. A call takes time in both directions. */
  function connect(thread: Thread): Pick<CountExchange, 'exchange'> {
    const delay = () => 0.1 + upTo(faults.slowestMs);
    return {
      exchange: (batch, received) =>
        new Promise((resolve, reject) => {
          const fail = () => schedule(thread, delay(), () => reject(new Error('the connection was lost')));
          schedule(undefined, delay(), () => {
            if (chance(faults.before)) return void fail();
            void store.exchange(batch, received).then((batches) => {
              if (chance(faults.after)) return void fail();
              schedule(thread, delay(), () => resolve(batches));
            });
          });
        }),
    };
  }

  function start(name: string): void {
    const thread = createThread(createProcess(name), 'main');
    const node: CountingNode = { name, thread, collected: new Map(), received: new Map(), lost: 0 };
    nodes.push(node);
    const counts: SharedCounts = {
      collect() {},
      take(max): Counts {
        const taken = [...node.collected].slice(0, max);
        for (const [key] of taken) node.collected.delete(key);
        return new Map(taken);
      },
      add(added) {
        for (const key of added.keys()) node.received.set(key, (node.received.get(key) ?? 0) + 1);
      },
    };
    simulation.runOn(thread, () => {
      void startCountExchange({
        exchange: connect(thread),
        agree: async () => {},
        node: name,
        counts: new Map<CountKind, SharedCounts>([['clientLoad', counts]]),
        clock: () => Date.now() as Instant,
        now: () => performance.now(),
        log: silentLog,
        onBatch(event) {
          if (event === 'lost') node.lost++;
          if (event !== 'received') trace(() => `batch ${event}`);
        },
      });
    });
  }

  const alive = () => nodes.filter(({ thread }) => thread.isAlive);

  function count(): void {
    const by = pick(alive());
    const key = events.length + 1;
    events.push({ key, by, at: simulation.now() });
    by.collected.set(key, 1);
  }

  for (let i = 2 + random(2); i > 0; i--) start(`node${i}`);
  const windowMs = pick([1000, 4000, 20_000]);
  for (let i = 5 + random(40); i > 0; i--) schedule(undefined, upTo(windowMs), count);
  const isFaulty = random(4) > 0;
  for (let i = isFaulty ? 1 + random(4) : 0; i > 0; i--)
    schedule(undefined, upTo(windowMs), () =>
      Object.assign(faults, pick([{ before: 60 }, { after: 60 }, { slowestMs: 3000 }, { before: 100 }])),
    );
  for (let i = random(4); i > 0; i--)
    schedule(undefined, upTo(windowMs), () => Object.assign(faults, { before: 0, after: 0, slowestMs: 5 }));
  if (random(4) === 0)
    schedule(
      undefined,
      upTo(windowMs),
      () => alive().length > 1 && killProcess(pick(alive()).thread.process),
    );
  simulation.runUntil(windowMs);
  Object.assign(faults, { before: 0, after: 0, slowestMs: 5 });
  simulation.runUntil(windowMs + SEND_WITHIN_MS + QUIET_MS);

  for (const { key, by } of events)
    for (const { name, received, thread } of nodes) {
      const times = received.get(key) ?? 0;
      if (times > (name === by.name ? 0 : 1))
        history.violations.push(`${name} has counted event ${key} of ${by.name} ${times} times`);
      const mustArrive = name !== by.name && thread.isAlive && by.thread.isAlive && !isFaulty;
      const isLate = isFaulty && by.lost === 0 && windowMs < SEND_WITHIN_MS / 2;
      if (times === 0 && (mustArrive || (isLate && name !== by.name && thread.isAlive && by.thread.isAlive)))
        history.violations.push(`${name} has never received event ${key} of ${by.name}`);
    }
  return history;
}
