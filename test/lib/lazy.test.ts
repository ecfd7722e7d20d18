import { expect, test } from 'bun:test';
import { createLatest, lazy, lazyAsync } from '../../src/lib/lazy.ts';
import { withSeeds } from '../support/randomScheduler.ts';

test('the value is created once, at the first call', () => {
  let created = 0;
  const value = lazy(() => ({ number: ++created }));
  expect(created).toBe(0);
  expect(value()).toBe(value());
  expect(created).toBe(1);
});

test('undefined is a value too', () => {
  let created = 0;
  const value = lazy(() => void created++);
  value();
  value();
  expect(created).toBe(1);
});

test('after an error, the next call creates the value', () => {
  let calls = 0;
  const value = lazy(() => {
    calls++;
    if (calls === 1) throw new Error('not yet');
    return calls;
  });
  expect(value).toThrow('not yet');
  expect(value()).toBe(2);
});

test('after a rejected promise, the next call creates the value; concurrent calls share it', async () => {
  let calls = 0;
  const value = lazyAsync(async () => {
    calls++;
    if (calls === 1) throw new Error('not yet');
    return calls;
  });
  const results = await Promise.allSettled([value(), value()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([value(), value()])).toEqual([2, 2]);
});

test('the last result is that of the last read that succeeded, in every order of results and failures', async () => {
  await withSeeds(300, async ({ holdOrFail, mustSettle, run }) => {
    let stored = 0;
    let applied = 0;
    let lastRead = 0;
    const refresh = createLatest<number>((value) => {
      expect(value).toBeGreaterThan(applied);
      applied = value;
    });
    const change = () => {
      const value = ++stored;
      const read = async () => {
        await holdOrFail();
        lastRead = Math.max(lastRead, value);
        return value;
      };
      mustSettle(`read ${value}`, refresh(read)).catch(() => {});
    };
    await run(Array(8).fill(change));
    expect(applied).toBe(lastRead);
  });
});
