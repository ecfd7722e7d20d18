import { describe, expect, test } from 'bun:test';
import { createPacer, runSteps, SLICE_MS, type Steps, URGENT_SLICES } from '../../src/lib/pacer.ts';

/** A pacer whose iterations of the event loop and whose time the test controls. */
function open() {
  const time = { now: 0 };
  let deferred: (() => void)[] = [];
  const pacer = createPacer({ now: () => time.now, defer: (next) => deferred.push(next) });
  /** Runs one iteration of the event loop. @returns whether there was something to do */
  async function iterate(): Promise<boolean> {
    const due = deferred;
    deferred = [];
    for (const next of due) next();
    // The loops that were woken continue in microtasks.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return due.length > 0;
  }
  return { pacer, time, iterate };
}

/** Steps of one millisecond each, which record in which iteration they ran. */
function createWork(time: { now: number }, onStep: () => void) {
  return function* work(steps: number): Steps<string> {
    for (let step = 0; step < steps; step++) {
      time.now++;
      onStep();
      yield;
    }
    return 'finished';
  };
}

describe('a pacer', () => {
  test('gives all work of one iteration of the event loop one slice together', async () => {
    const { pacer, time, iterate } = open();
    let [iteration, steps] = [0, 0];
    const perIteration: number[] = [];
    const work = createWork(time, () => void steps++);
    const running = Promise.all(Array.from({ length: 10 }, () => pacer.run(work(8))));
    do {
      perIteration[iteration++] = steps;
      steps = 0;
    } while (await iterate());
    expect(await running).toEqual(Array(10).fill('finished'));
    expect(perIteration.reduce((sum, count) => sum + count)).toBe(80);
    // Steps take 1 ms here, so a slice has as many steps as milliseconds.
    expect(Math.max(...perIteration)).toBe(SLICE_MS);
  });

  test('gives loops their turns in the order in which they asked', async () => {
    const { pacer, time, iterate } = open();
    const order: string[] = [];
    const run = (name: string) => pacer.run(createWork(time, () => order.push(name))(SLICE_MS * 3));
    const running = Promise.all([run('a'), run('b')]);
    while (await iterate());
    await running;
    const slice = (name: string) => Array(SLICE_MS).fill(name);
    // The second loop starts after the first one has used the slice, and asks after it.
    expect(order).toEqual(['a', 'a', 'b', 'a', 'b', 'b'].flatMap(slice));
  });

  // 60 exports used to delay the rules of a puzzle until its deadline of 5 seconds.
  test.each([1, 6, 60])(
    'runs urgent work first, however many of %i other loops wait, and these progress',
    async (count) => {
      const { pacer, time, iterate } = open();
      const order: string[] = [];
      const run = (name: 'urgent' | 'ordinary', slices: number) =>
        pacer.run(createWork(time, () => order.push(name))(SLICE_MS * slices), name);
      const others = Promise.all(Array.from({ length: count }, () => run('ordinary', 10)));
      await iterate();
      order.length = 0;
      const urgent = run('urgent', 9);
      while (await iterate());
      await Promise.all([others, urgent]);
      const slices = order
        .slice(0, order.lastIndexOf('urgent') + 1)
        .filter((_, step) => step % SLICE_MS === 0);
      const ofUrgent = Array(URGENT_SLICES).fill('urgent');
      // The slice of this iteration was used up, and the next one belongs to the urgent work.
      expect(slices).toEqual([...ofUrgent, 'ordinary', ...ofUrgent, 'ordinary', ...ofUrgent]);
      // Each of the others ran to its end; two of their slices came before.
      expect(order.filter((name) => name === 'ordinary')).toHaveLength(SLICE_MS * (10 * count - 2));
    },
  );

  test('runs short work without a turn', async () => {
    const { pacer, time } = open();
    expect(await pacer.run(createWork(time, () => {})(SLICE_MS - 1))).toBe('finished');
  });

  test('begins a new slice in the next iteration', async () => {
    const { pacer, time, iterate } = open();
    expect(pacer.isDue()).toBe(false);
    time.now += SLICE_MS;
    expect(pacer.isDue()).toBe(true);
    await iterate();
    expect(pacer.isDue()).toBe(false);
  });

  test('passes on errors, and other work continues', async () => {
    const { pacer, time, iterate } = open();
    function* fail(): Steps<void> {
      yield;
      throw new Error('invalid');
    }
    const failed = pacer.run(fail()).catch((error: unknown) => error);
    const running = pacer.run(createWork(time, () => {})(20));
    while (await iterate());
    expect(await failed).toEqual(new Error('invalid'));
    expect(await running).toBe('finished');
  });
});

test('steps also run without turns', () => {
  expect(runSteps(createWork({ now: 0 }, () => {})(3))).toBe('finished');
});
