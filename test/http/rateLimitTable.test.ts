import { describe, expect, test } from 'bun:test';
import { createRateLimit } from '../../src/http/rateLimit.ts';
import type { Instant } from '../../src/lib/time.ts';

/** The memory of a rate limit for 1,024 keys, with one request per second and bursts of ten. */
function openLimit() {
  let now = Date.UTC(2026, 0, 1) as Instant;
  const limit = createRateLimit({ rate: 1, burst: 10, capacity: 1024, clock: () => now });
  return {
    ...limit,
    pass: (milliseconds: number) => {
      now = (now + milliseconds) as Instant;
    },
  };
}

describe('the memory of a rate limit', () => {
  // Before this table, the least recently used key was replaced, so a flood of other keys reset the limit of a key.
  test('keeps keys that have reached their limit during a flood of ten times as many keys as it has space for', () => {
    const { take, readCache } = openLimit();
    for (let i = 0; i < 10; i++) expect(take(1).isAllowed).toBe(true);
    for (let key = 2; key < 10_240; key++) expect(take(key).isAllowed).toBe(true);
    expect(take(1).isAllowed).toBe(false);
    expect(readCache()).toEqual({ entries: 1024, capacity: 1024 });
  });

  test('replaces keys whose burst is full again, which loses nothing', () => {
    const { take, pass } = openLimit();
    // Nine keys in one set.
    for (let key = 0; key < 8; key++) for (let i = 0; i < 10 - key; i++) take(key * 1024);
    pass(4000);
    take(8 * 1024);
    expect(take(7 * 1024)).toMatchObject({ remaining: 9 });
    expect(take(0)).toMatchObject({ remaining: 3 });
  });

  test('limits new keys even if all keys of their set have reached their limit', () => {
    const { take } = openLimit();
    for (let key = 0; key < 9; key++)
      for (let i = 0; i < 10; i++) expect(take(key * 1024).isAllowed).toBe(true);
    expect(take(8 * 1024).isAllowed).toBe(false);
  });

  test('distinguishes the lowest and the highest key', () => {
    const { take } = openLimit();
    for (const key of [0, 2 ** 53 - 2, 2 ** 53 - 1]) {
      for (let i = 0; i < 10; i++) expect(take(key).isAllowed).toBe(true);
      expect(take(key).isAllowed).toBe(false);
    }
  });
});
