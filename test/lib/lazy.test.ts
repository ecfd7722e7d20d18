import { expect, test } from 'bun:test';
import { lazy, lazyAsync } from '../../src/lib/lazy.ts';

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
