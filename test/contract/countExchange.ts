import { describe, expect, test } from 'bun:test';
import type { CountExchange, ReceivedBatch } from '../../src/model/ports/cluster.ts';

/** An exchange that several nodes use; each call of `connect` returns the connection of one node. */
export type ExchangeWorld = {
  readonly connect: () => CountExchange;
  /** Makes the stored batches older. */
  readonly pass: (milliseconds: number) => Promise<void>;
};

const [ANNA, BERT, CARL] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000c',
];

const bytes = (...values: number[]) => Uint8Array.from(values);
const NOTHING: ReadonlyMap<string, number> = new Map();

function summary(batches: readonly ReceivedBatch[]) {
  return batches.map(({ node, sequence, payload }) => ({ node, sequence, payload: [...payload] }));
}

/** The suite of the port CountExchange. */
export function describeCountExchange(engine: string, open: () => Promise<ExchangeWorld>): void {
  describe(`the count exchange on ${engine}`, () => {
    test('returns the batches of all other nodes that this node has not received', async () => {
      const { connect } = await open();
      const [anna, bert, carl] = [connect(), connect(), connect()];
      await anna.exchange({ node: ANNA, sequence: 1, payload: bytes(1, 2, 255) }, NOTHING);
      await anna.exchange({ node: ANNA, sequence: 2, payload: bytes(3) }, NOTHING);
      const forBert = await bert.exchange(
        { node: BERT, sequence: 1, payload: bytes(4) },
        new Map([[ANNA, 1]]),
      );
      expect(summary(forBert)).toEqual([{ node: ANNA, sequence: 2, payload: [3] }]);
      const forCarl = await carl.exchange({ node: CARL, sequence: 1, payload: undefined }, NOTHING);
      expect(summary(forCarl).toSorted((a, b) => a.node.localeCompare(b.node))).toEqual([
        { node: ANNA, sequence: 1, payload: [1, 2, 255] },
        { node: ANNA, sequence: 2, payload: [3] },
        { node: BERT, sequence: 1, payload: [4] },
      ]);
      const received = new Map([
        [ANNA, 2],
        [BERT, 1],
      ]);
      expect(await carl.exchange({ node: CARL, sequence: 2, payload: undefined }, received)).toEqual([]);
    });

    test('returns the age of each batch, and the batches of a node in order', async () => {
      const { connect } = await open();
      const [anna, bert] = [connect(), connect()];
      for (let sequence = 1; sequence <= 12; sequence++) {
        await anna.exchange({ node: ANNA, sequence, payload: bytes(sequence) }, NOTHING);
      }
      const batches = await bert.exchange({ node: BERT, sequence: 1, payload: undefined }, NOTHING);
      expect(batches.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      for (const { ageMs } of batches) expect(ageMs).toBeWithin(0, 10_000);
    });

    test('deletes batches after ten seconds, whether their nodes still exist or not', async () => {
      const { connect, pass } = await open();
      const [anna, bert, carl] = [connect(), connect(), connect()];
      await anna.exchange({ node: ANNA, sequence: 1, payload: bytes(1) }, NOTHING);
      await pass(6000);
      await bert.exchange({ node: BERT, sequence: 1, payload: bytes(2) }, NOTHING);
      await pass(6000);
      const [batch, ...others] = await carl.exchange(
        { node: CARL, sequence: 1, payload: undefined },
        NOTHING,
      );
      expect(batch).toMatchObject({ node: BERT, sequence: 1 });
      expect(batch?.ageMs).toBeWithin(6000, 10_000);
      expect(others).toEqual([]);
      await pass(-12_000);
      const left = await carl.exchange({ node: CARL, sequence: 2, payload: undefined }, NOTHING);
      expect(left.map(({ node }) => node)).toEqual([BERT]);
    });

    test('stores a batch only once if it is sent again, and stores nothing without a payload', async () => {
      const { connect } = await open();
      const [anna, bert] = [connect(), connect()];
      await anna.exchange({ node: ANNA, sequence: 1, payload: bytes(1) }, NOTHING);
      await anna.exchange({ node: ANNA, sequence: 1, payload: bytes(2) }, NOTHING);
      await anna.exchange({ node: ANNA, sequence: 2, payload: undefined }, NOTHING);
      const batches = await bert.exchange({ node: BERT, sequence: 1, payload: undefined }, NOTHING);
      expect(summary(batches)).toEqual([{ node: ANNA, sequence: 1, payload: [1] }]);
    });

    test('loses no batches of nodes that exchange counts at the same time', async () => {
      const { connect } = await open();
      const nodes = [ANNA, BERT, CARL].map((node) => ({
        node,
        exchange: connect(),
        last: new Map(),
        seen: 0,
      }));
      const runs = nodes.map(async (own) => {
        for (let sequence = 1; sequence <= 40; sequence++)
          await runOnce(own, { sequence, payload: bytes(sequence) });
      });
      await Promise.all(runs);
      for (const own of nodes) await runOnce(own, { sequence: 41, payload: undefined });
      expect(nodes.map(({ seen }) => seen)).toEqual([80, 80, 80]);
    });

    test('accepts a batch of the maximum size', async () => {
      const { connect } = await open();
      const payload = crypto.getRandomValues(new Uint8Array(60_000)).toBase64();
      const large = new TextEncoder().encode(payload.repeat(3));
      await connect().exchange({ node: ANNA, sequence: 1, payload: large }, NOTHING);
      const [batch] = await connect().exchange({ node: BERT, sequence: 1, payload: undefined }, NOTHING);
      expect(Buffer.from(batch?.payload ?? []).equals(large)).toBe(true);
    });

    test('all nodes get the same secret for a period, and a different one for each period', async () => {
      const { connect } = await open();
      const nodes = [connect(), connect(), connect()];
      const secrets = await Promise.all(
        nodes.map(async (node, index) => (await node.secret(7, new Uint8Array(32).fill(index))).toHex()),
      );
      expect(new Set(secrets).size).toBe(1);
      const [anna, bert] = nodes as [CountExchange, CountExchange];
      const next = new Uint8Array(32).fill(77);
      expect((await anna.secret(8, next)).toHex()).toBe(next.toHex());
      expect((await bert.secret(7, new Uint8Array(32).fill(78))).toHex()).toBe(secrets[0] as string);
      expect((await bert.secret(8, new Uint8Array(32).fill(78))).toHex()).toBe(next.toHex());
    });

    test('deletes the secrets of past periods', async () => {
      const { connect } = await open();
      const exchange = connect();
      await exchange.secret(7, new Uint8Array(32).fill(1));
      await exchange.secret(9, new Uint8Array(32).fill(2));
      const other = new Uint8Array(32).fill(3);
      expect((await exchange.secret(7, other)).toHex()).toBe(other.toHex());
    });
  });
}

type Own = {
  readonly node: string;
  readonly exchange: CountExchange;
  readonly last: Map<string, number>;
  seen: number;
};

/** Checks that no batch of a node is skipped or repeated. */
async function runOnce(
  own: Own,
  batch: { sequence: number; payload: Uint8Array | undefined },
): Promise<void> {
  for (const { node, sequence } of await own.exchange.exchange({ node: own.node, ...batch }, own.last)) {
    expect(sequence).toBe((own.last.get(node) ?? 0) + 1);
    own.last.set(node, sequence);
    own.seen++;
  }
}
