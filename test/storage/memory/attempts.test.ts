import { expect, test } from 'bun:test';
import { HOUR, type Instant, later, SECOND } from '../../../src/lib/time.ts';
import { createMemoryAttempts } from '../../../src/storage/memory.ts';

const START = Date.UTC(2026, 0, 31) as Instant;
const rule = { name: 'test', free: 2, first: SECOND, longest: 10 * SECOND };
const key = (keyHash: string) => [{ rule, keyHash }];

test('at capacity, a new key replaces the key with the oldest failure', async () => {
  const store = createMemoryAttempts();
  for (let n = 0; n < 3; n++) await store.begin(key('first'), START);
  for (let n = 0; n < 19_999; n++) await store.begin(key(`k${n}`), START);
  const next = later(START, SECOND);
  await store.begin(key('one more'), next);
  await store.begin(key('first'), next);
  expect(await store.delay(key('first'), next)).toBe(0);
});

test('a delayed key is never replaced', async () => {
  const store = createMemoryAttempts();
  for (let n = 0; n < 3; n++) await store.begin(key('first'), START);
  for (let n = 0; n < 40_000; n++) await store.begin(key(`k${n}`), START);
  expect(await store.delay(key('first'), START)).toBe(1000);
  for (let n = 0; n < 20_000; n++) for (let i = 0; i < 3; i++) await store.begin(key(`w${n}`), START);
  expect(await store.delay(key('first'), START)).toBe(1000);
});

test('a key without failures takes no capacity', async () => {
  const store = createMemoryAttempts();
  await store.begin(key('first'), START);
  const next = later(START, SECOND);
  for (let n = 0; n < 40_000; n++) {
    await store.begin(key(`k${n}`), next);
    await store.takeBack(key(`k${n}`));
  }
  for (let n = 0; n < 2; n++) await store.begin(key('first'), next);
  expect(await store.delay(key('first'), next)).toBe(1000);
});

test('a delay ends at the same time if the clock is set back', async () => {
  const store = createMemoryAttempts();
  for (let n = 0; n < 3; n++) await store.begin(key('a'), START);
  expect(await store.delay(key('a'), later(START, -HOUR))).toBe(1000);
});
