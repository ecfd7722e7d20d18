import { describe, expect, test } from 'bun:test';
import { toClient } from '../../src/captcha/clientLoad.ts';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import type { Growth } from '../../src/model/propertyFields.ts';
import { type CountNode, createCountNode, createFakeExchange } from '../support/countNodes.ts';

/** Nodes that exchange their counts through memory, on a clock that the test advances. */

const EXCHANGE_MS = 250;
const CLIENT = 4711;

type Scene = {
  readonly nodes: number;
  /** The rate limit of a client address, in puzzles per second and at once. */
  readonly rate?: number;
  readonly burst?: number;
};

/** The nodes exchange their counts at different times of the interval. */
function open({ nodes: count, ...limits }: Scene) {
  let time = Date.UTC(2026, 0, 1);
  const now = () => time;
  const exchange = createFakeExchange(now);
  const nodes = Array.from({ length: count }, (_, index) =>
    createCountNode({ ...limits, exchange, name: `node ${index}`, now, isShared: count > 1 }),
  );
  const due = nodes.map((_, index) => time + ((index + 1) * EXCHANGE_MS) / count);

  async function pass(milliseconds: number): Promise<void> {
    const end = time + milliseconds;
    for (let next = Math.min(...due); next <= end; next = Math.min(...due)) {
      const index = due.indexOf(next);
      time = next;
      due[index] = next + EXCHANGE_MS;
      await nodes[index]?.exchanger.run();
    }
    time = end;
  }

  return { nodes, exchange, pass };
}

type OpenScene = ReturnType<typeof open>;

type Visit = { readonly growth: Growth; readonly everyMs: number; readonly forMs: number };

/** One client sends its requests to all nodes in turn, and each solution to the next node. @returns the work of each puzzle that it gets */
async function visit(scene: OpenScene, { growth, everyMs, forMs }: Visit): Promise<number[]> {
  const works: number[] = [];
  for (let request = 0; request * everyMs < forMs; request++) {
    const node = scene.nodes[request % scene.nodes.length] as CountNode;
    const work = node.puzzle(CLIENT, growth);
    if (work !== undefined) works.push(work);
    await scene.pass(everyMs);
    const next = scene.nodes[(request + 1) % scene.nodes.length] as CountNode;
    if (work !== undefined) next.verify(CLIENT);
  }
  return works;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const mean = (numbers: readonly number[]) => sum(numbers) / numbers.length;

describe('a client that spreads its requests over three nodes', () => {
  test.each([
    ['slow', 30],
    ['slow', 120],
    ['medium', 30],
    ['medium', 60],
    ['medium', 120],
    ['medium', 600],
    ['fast', 30],
    ['fast', 120],
  ] as const)(
    'does between 0.99 and 1.01 times the work of one node on %s at %d puzzles per minute',
    async (growth, perMinute) => {
      const request = { growth, everyMs: MINUTE / perMinute, forMs: 10 * MINUTE };
      const one = await visit(open({ nodes: 1 }), request);
      const three = await visit(open({ nodes: 3 }), request);
      const apart = open({ nodes: 3 });
      apart.exchange.failure = 'before';
      const without = await visit(apart, request);
      expect(three).toHaveLength(one.length);
      expect(sum(three) / sum(one)).toBeWithin(0.99, 1.01);
      // Without the exchange, the same client does much less work.
      expect(sum(without) / sum(one)).toBeLessThan(0.9);
    },
  );

  test('and sends as many requests as it can gets hardly more puzzles, for at least 0.9 times the work', async () => {
    const limits = { rate: 2, burst: 40 };
    const request = { growth: 'medium', everyMs: 50, forMs: 10 * MINUTE } as const;
    const one = await visit(open({ nodes: 1, ...limits }), request);
    const three = await visit(open({ nodes: 3, ...limits }), request);
    expect(three.length).toBeLessThanOrEqual(one.length * 1.01);
    expect(mean(three) / mean(one)).toBeGreaterThanOrEqual(0.9);
  });

  test('at the same moment does 0.35 times the work, and the full work after two intervals', async () => {
    const scene = open({ nodes: 3 });
    const works = scene.nodes.flatMap((node) =>
      Array.from({ length: 30 }, () => node.puzzle(CLIENT, 'medium') ?? 0),
    );
    expect(works.slice(30)).toEqual([...works.slice(0, 30), ...works.slice(0, 30)]);
    await scene.pass(2 * EXCHANGE_MS);
    const next = scene.nodes.map((node) => node.puzzle(CLIENT, 'medium') ?? 0);
    const single = open({ nodes: 1 });
    const singleWorks = Array.from({ length: 90 }, () => single.nodes[0]?.puzzle(CLIENT, 'medium') ?? 0);
    expect(sum(works) / sum(singleWorks)).toBeCloseTo(0.35, 2);
    await single.pass(2 * EXCHANGE_MS);
    const expected = single.nodes[0]?.puzzle(CLIENT, 'medium') ?? 0;
    // Each node counted its puzzles for the property with the load that it knew, so the property is slightly busier.
    for (const work of next) expect(work / expected).toBeWithin(0.9, 1.25);
  });
});

describe('the visitors of a property on three nodes', () => {
  test('raise its difficulty as on one node', async () => {
    const crowd = async (nodes: number): Promise<number> => {
      const scene = open({ nodes });
      const works: number[] = [];
      for (let visitor = 0; visitor < 3000; visitor++) {
        const node = scene.nodes[visitor % nodes] as CountNode;
        works.push(node.puzzle(toClient(visitor, visitor), 'fast') ?? 0);
        await scene.pass(100);
      }
      return sum(works);
    };
    const [one, three] = [await crowd(1), await crowd(3)];
    expect(three / one).toBeWithin(0.95, 1.05);
  });
});

describe('a rate limit on several nodes', () => {
  const limits = { rate: 100, burst: 200 };

  /** One request to each node in turn. @returns the numbers of accepted and rejected requests */
  async function load(scene: OpenScene, everyMs: number, forMs: number) {
    const counts = { accepted: 0, rejected: 0 };
    for (let request = 0; request * everyMs < forMs; request++) {
      const { limit } = scene.nodes[request % scene.nodes.length] as CountNode;
      counts[limit.take(CLIENT).isAllowed ? 'accepted' : 'rejected']++;
      await scene.pass(everyMs);
    }
    return counts;
  }

  test('accepts hardly more requests than on one node', async () => {
    const scene = open({ nodes: 3, ...limits });
    // 1,000 requests per second for a minute: the burst, 6,000 requests, and what two nodes accept before they know of the others.
    const { accepted } = await load(scene, 1, MINUTE);
    expect(accepted).toBeWithin(6000, 6000 + 200 + 2 * 100 * 0.5);
  });

  test.each([
    [2, 1000, 2000],
    [3, 2, 40],
    [3, 100, 100],
    [5, 20, 100],
  ])(
    'of %d nodes accepts at most the stated number of requests, at %d per second with a burst of %d',
    async (nodes, rate, burst) => {
      const scene = open({ nodes, rate, burst });
      let accepted = 0;
      // The client sends as many requests to every node as the node accepts.
      for (let time = 0; time < 2 * MINUTE; time += 5) {
        for (const { limit } of scene.nodes) while (limit.take(CLIENT).isAllowed) accepted++;
        await scene.pass(5);
      }
      // docs/explanation/difficulty.md#several-nodes
      expect(accepted).toBeLessThanOrEqual(burst + rate * (120 + 0.5 * (nodes - 1)));
      expect(accepted).toBeGreaterThanOrEqual(0.99 * (burst + rate * 120));
    },
  );

  test('never rejects requests below the rate', async () => {
    const scene = open({ nodes: 3, rate: 100, burst: 1 });
    expect(await load(scene, 12, MINUTE)).toMatchObject({ rejected: 0 });
  });

  test('applies per node while the count exchange fails, and rejects no requests below the rate', async () => {
    const scene = open({ nodes: 3, ...limits });
    scene.exchange.failure = 'before';
    expect(await load(scene, 12, MINUTE)).toMatchObject({ rejected: 0 });
    const { accepted } = await load(scene, 1, MINUTE);
    expect(accepted).toBeWithin(3 * 6000, 3 * 6000 + 3 * 200 + 1);
  });

  test('rejects no requests below the rate when the count exchange works again', async () => {
    const scene = open({ nodes: 3, ...limits });
    for (const failure of ['before', 'after'] as const) {
      scene.exchange.failure = failure;
      expect(await load(scene, 12, 9 * SECOND)).toMatchObject({ rejected: 0 });
      scene.exchange.failure = undefined;
      expect(await load(scene, 12, 9 * SECOND)).toMatchObject({ rejected: 0 });
    }
  });

  test('makes a client that has used the bursts of all nodes wait, but no longer than on one node', async () => {
    const scene = open({ nodes: 3, ...limits });
    for (const { limit } of scene.nodes) {
      for (let i = 0; i < 200; i++) expect(limit.take(CLIENT).isAllowed).toBe(true);
    }
    await scene.pass(2 * EXCHANGE_MS);
    const [first] = scene.nodes as [CountNode];
    // 600 requests are 400 above the burst, which take 4 seconds; half a second has passed.
    expect(first.limit.take(CLIENT)).toMatchObject({ isAllowed: false, retryAfterSeconds: 4 });
    await scene.pass(3.6 * SECOND);
    expect(first.limit.take(CLIENT).isAllowed).toBe(true);
  });

  test('has a burst of at least one second', () => {
    const [node] = open({ nodes: 2, rate: 100, burst: 3 }).nodes as [CountNode];
    expect(node.limit.burst).toBe(100);
    expect(node.limit.take(CLIENT)).toMatchObject({ burst: 100, remaining: 99 });
  });
});
