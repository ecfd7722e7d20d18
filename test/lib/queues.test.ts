import { expect, test } from 'bun:test';
import { createFairSemaphore } from '../../src/lib/fairSemaphore.ts';
import { lazyAsync } from '../../src/lib/lazy.ts';
import { createPacer } from '../../src/lib/pacer.ts';
import { startPeriodic } from '../../src/lib/periodic.ts';
import { createSlidingWindow } from '../../src/lib/slidingWindow.ts';
import { createTickLimiter } from '../../src/lib/tickLimiter.ts';
import { within } from '../../src/lib/timer.ts';
import { withSeeds } from '../support/randomScheduler.ts';

test('a semaphore serves or rejects every request, and no permit is free while one waits', async () => {
  await withSeeds(1000, async ({ random, holdOrFail, mustSettle, run }) => {
    const permits = 1 + random(3);
    const places = random(2) === 0 ? Number.POSITIVE_INFINITY : random(4);
    const newHolder = createFairSemaphore(permits, places);
    const shared = newHolder('a', 'x');
    let running = 0;

    async function use(): Promise<void> {
      const path = [['a', 'x'], ['a', 'y'], ['b']][random(3)] ?? [];
      const { acquire, release } = random(3) === 0 ? shared : newHolder(...path);
      if (!(await acquire())) return;
      expect(++running).toBeLessThanOrEqual(permits);
      try {
        await holdOrFail();
      } finally {
        running--;
        release();
      }
    }

    await run(Array(12).fill(() => mustSettle('use', use()).catch(() => {})));
    // All permits are free again.
    const again = Array.from({ length: permits }, () => newHolder('c').acquire());
    expect(await Promise.all(again)).toEqual(Array(permits).fill(true));
  });
});

test('a sliding window serves every caller, and never allows more events than its limit', async () => {
  await withSeeds(500, async ({ random, hold, time, mustSettle, run }) => {
    const limit = 1 + random(4);
    const events: number[] = [];
    const window = createSlidingWindow({ limit, periodMs: 100, now: time.now, timer: time.timer });

    async function use(): Promise<void> {
      const count = 1 + random(limit);
      const reservation = await window.reserve(count);
      await hold();
      reservation.start();
      const actual = random(count + 1);
      for (let i = 0; i < actual; i++) events.push(time.now());
      await hold();
      reservation.settle(actual);
    }

    await run(Array(10).fill(() => void mustSettle('use', use())));
    for (const at of events)
      expect(events.filter((other) => other >= at && other < at + 100).length).toBeLessThanOrEqual(limit);
    await time.pass(200);
    expect(window.isIdle()).toBe(true);
  });
});

test('a tick limiter continues every caller in order', async () => {
  await withSeeds(300, async ({ random, hold, mustSettle, run }) => {
    const waitForTick = createTickLimiter(1 + random(3), (tick) => void hold().then(tick));
    const continued: number[] = [];
    let called = 0;
    const call = () => {
      const own = ++called;
      const waited = Promise.resolve(waitForTick()).then(() => continued.push(own));
      void mustSettle(`call ${own}`, waited);
    };
    await run(Array(12).fill(call));
    expect(continued).toEqual(continued.toSorted((a, b) => a - b));
  });
});

test('periodic work never overlaps, and every request runs, even after failures and while it ends', async () => {
  await withSeeds(500, async ({ random, holdOrFail, mustSettle, run }) => {
    let running = 0;
    let begun = 0;
    const { run: request, stop } = startPeriodic({
      async work() {
        expect(++running).toBe(1);
        begun++;
        try {
          if (random(2) === 0) await holdOrFail();
        } finally {
          running--;
        }
      },
      everyMs: 1e9,
    });
    const requests: (() => void)[] = Array(12).fill(() => {
      const before = begun;
      const requested = request();
      // A run that began after the request.
      const check = () => expect(begun).toBeGreaterThan(before);
      mustSettle('run', requested).then(check, check);
    });
    requests.splice(random(12), 0, () => void mustSettle('stop', stop()));
    await run(requests);
    await stop();
  });
});

test('a shared load settles every caller, and a failure is not cached', async () => {
  await withSeeds(300, async ({ holdOrFail, mustSettle, run }) => {
    let loading = 0;
    const load = lazyAsync(async () => {
      expect(++loading).toBe(1);
      await holdOrFail().finally(() => loading--);
      return 'loaded';
    });
    let hasLoaded = false;
    const call = () => {
      const loaded = mustSettle('load', load());
      loaded.then(
        () => {
          hasLoaded = true;
        },
        () => expect(hasLoaded).toBe(false),
      );
    };
    await run(Array(8).fill(call));
  });
});

test('a deadline ends the wait for a promise that never settles, and only that', async () => {
  await withSeeds(300, async ({ random, holdOrFail, time, mustSettle, run }) => {
    let expired = 0;
    let late = 0;
    const wait = () => {
      const isSilent = random(3) === 0;
      const promise = isSilent ? new Promise<void>(() => {}) : holdOrFail();
      if (isSilent) late++;
      const onExpired = () => new Error(`expired ${isSilent ? ++expired : 0}`);
      mustSettle('wait', within(10 + random(10), promise, onExpired, time.timer)).catch(() => {});
    };
    await run(Array(8).fill(wait));
    expect(expired).toBe(late);
  });
});

test('a pacer gives every loop its turns, and one slice to one loop at a time', async () => {
  await withSeeds(300, async ({ random, hold, mustSettle, run }) => {
    let clock = 0;
    const pacer = createPacer({ now: () => clock, defer: (next) => void hold().then(next) });
    function* steps() {
      for (let step = random(20); step > 0; step--) {
        clock += random(3);
        if (random(20) === 0) throw new Error('the step failed');
        yield;
      }
    }
    await run(
      Array(8).fill(() =>
        mustSettle('loop', pacer.run(steps(), random(2) === 0 ? 'urgent' : 'ordinary')).catch(() => {}),
      ),
    );
  });
});
