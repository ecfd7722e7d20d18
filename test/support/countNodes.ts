import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { createRateLimit, type RateLimit } from '../../src/http/rateLimit.ts';
import { type BatchEvent, type CountExchanger, createCountExchange } from '../../src/jobs/countExchange.ts';
import type { Instant } from '../../src/lib/time.ts';
import type { CountBatch, CountExchange, ReceivedBatch } from '../../src/model/ports/cluster.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { Growth } from '../../src/model/propertyFields.ts';
import type { CountKind, Share, SharedCounts } from '../../src/model/sharedCounts.ts';

/** An exchange in memory, with a clock that the test advances. */
export function createFakeExchange(now: () => number) {
  let stored: (CountBatch & { readonly at: number })[] = [];
  const secrets = new Map<number, Uint8Array>();
  const exchange = {
    /** While set, every call fails: before it does anything, or after it has done everything. */
    failure: undefined as 'before' | 'after' | undefined,
    stored: (): readonly CountBatch[] => stored,
    store(batch: CountBatch) {
      stored.push({ ...batch, at: now() });
    },
    async exchange({ node, sequence, payload }, received): Promise<readonly ReceivedBatch[]> {
      if (exchange.failure === 'before') throw new Error('connection refused');
      stored = stored.filter(({ at }) => now() - at <= 10_000);
      const others = stored.filter(
        (batch) => batch.node !== node && batch.sequence > (received.get(batch.node) ?? 0),
      );
      const isKnown = stored.some((batch) => batch.node === node && batch.sequence === sequence);
      if (payload !== undefined && !isKnown) exchange.store({ node, sequence, payload });
      if (exchange.failure === 'after') throw new Error('connection lost');
      others.sort((a, b) => a.sequence - b.sequence);
      return others.map(({ at, ...batch }) => ({ ...batch, ageMs: now() - at }));
    },
    async secret(period, candidate) {
      if (exchange.failure !== undefined) throw new Error('connection refused');
      for (const known of secrets.keys()) if (known < period - 1) secrets.delete(known);
      const secret = secrets.get(period) ?? candidate;
      secrets.set(period, secret);
      return secret;
    },
    async close() {},
  } satisfies CountExchange & Record<string, unknown>;
  return exchange;
}

export type FakeExchange = ReturnType<typeof createFakeExchange>;

const PROPERTY = 1 as PropertyId;
const LEVEL = 128;

/** What one node counts, and its exchange with the other nodes. */
export type CountNode = {
  readonly exchanger: CountExchanger;
  /** Requests a puzzle. @returns its work as a multiple of the level's work; undefined if the rate limit rejects the request */
  readonly puzzle: (client: number, growth: Growth) => number | undefined;
  /** Records that a puzzle of the client was verified on this node. */
  readonly verify: (client: number) => void;
  readonly limit: RateLimit;
  readonly events: BatchEvent[];
  readonly logged: (readonly [event: string, fields?: object])[];
};

export type CountNodeOptions = {
  readonly exchange: Pick<CountExchange, 'exchange'>;
  readonly agree?: () => Promise<void>;
  readonly name: string;
  readonly now: () => number;
  /** Puzzles per second and at once. */
  readonly rate?: number;
  readonly burst?: number;
  /** Without it, the node counts for itself. */
  readonly isShared?: boolean;
};

export function createCountNode({
  exchange,
  agree = async () => {},
  name,
  now,
  rate = 1e6,
  burst = 1e6,
  isShared = true,
}: CountNodeOptions): CountNode {
  const counts = new Map<CountKind, SharedCounts>();
  const share = (kind: CountKind): Share | undefined =>
    isShared ? (shared) => void counts.set(kind, shared) : undefined;
  const clock = () => now() as Instant;
  const meter = createLoadMeter(1000, 1000, {
    clients: share('clientLoad'),
    verified: share('clientVerified'),
    properties: share('propertyLoad'),
  });
  const limit = createRateLimit({ rate, burst, capacity: 100_000, clock, share: share('puzzleLimit') });
  const events: BatchEvent[] = [];
  const logged: (readonly [event: string, fields?: object])[] = [];
  const record = (event: string, fields?: object) =>
    void logged.push(fields === undefined ? [event] : [event, fields]);
  const exchanger = createCountExchange({
    exchange,
    agree,
    node: name,
    counts,
    clock,
    now,
    log: { info: record, warn: record },
    onBatch: (event) => void events.push(event),
  });
  return {
    exchanger,
    limit,
    events,
    logged,
    verify: (client) => meter.verified(client, LEVEL, clock()),
    puzzle(client, growth) {
      if (!limit.take(client).isAllowed) return undefined;
      const signals = meter.observe(client, PROPERTY, clock());
      return 2 ** ((difficultyOf(LEVEL, growth, signals) - LEVEL) / 8);
    },
  };
}
