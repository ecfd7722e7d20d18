import type { PropertyAndKey } from '../e2e/support.ts';
import { createKeepAliveClient } from '../support/keepAlive.ts';
import { solve } from '../support/visitor.ts';

const CONNECTIONS = 16;
/** One in this many visits submits its solution twice. */
const REPLAY_EVERY = 20;
const TICK_MS = 5;

export type Visits = {
  readonly counts: {
    readonly [name in 'visits' | 'accepted' | 'replayed' | 'wrong' | 'lost']: number;
  };
  /** @param visitsPerSecond Infinity for as many as possible */
  readonly setRate: (visitsPerSecond: number) => void;
  readonly stop: () => Promise<void>;
};

/** Simulates visitors: each one fetches a puzzle, solves it, and has its solution verified, on keep-alive connections. */
export function startVisits(url: string, { sitekey, verifyKey }: PropertyAndKey): Visits {
  const counts = { visits: 0, accepted: 0, replayed: 0, wrong: 0, lost: 0 };
  let isStopped = false;
  let rate = 0;
  let allowance = 0;
  let lastTick = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // An idle second allows no burst afterward.
    allowance =
      rate === Number.POSITIVE_INFINITY ? rate : Math.min(allowance + ((now - lastTick) / 1000) * rate, rate);
    lastTick = now;
  }, TICK_MS);

  async function run(client: ReturnType<typeof createKeepAliveClient>): Promise<void> {
    while (!isStopped) {
      if (allowance < 1) {
        await Bun.sleep(TICK_MS);
        continue;
      }
      allowance--;
      counts.visits++;
      await visit(client, counts.visits % REPLAY_EVERY === 0);
    }
    client.close();
  }

  async function visit(client: ReturnType<typeof createKeepAliveClient>, isRepeated: boolean): Promise<void> {
    const puzzle = await client.send(`GET /puzzle?sitekey=${sitekey}`, '', { Origin: 'https://example.com' });
    if (puzzle.kind !== 'response') {
      counts.lost++;
      return;
    }
    const payload = solve(puzzle.body);
    for (const expected of isRepeated ? (['accepted', 'replayed'] as const) : (['accepted'] as const)) {
      const verdict = await client.send('POST /verify', payload, { 'X-API-Key': verifyKey });
      if (verdict.kind !== 'response') counts.lost++;
      else if (!verdict.body.includes(expected === 'accepted' ? '"code":0' : '"success":false,"code":8'))
        counts.wrong++;
      else counts[expected]++;
    }
  }

  const clients = Array.from({ length: CONNECTIONS }, () => run(createKeepAliveClient(url)));
  return {
    counts,
    setRate(visitsPerSecond) {
      rate = visitsPerSecond;
      allowance = 0;
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      clearInterval(timer);
    },
  };
}
