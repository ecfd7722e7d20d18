import { expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import { isUnderAttack, withAttackMode } from '../../src/model/attackMode.ts';

const END = 1_000_000 as Instant;
const before = (END - 1) as Instant;

test('attack mode is on until it ends', () => {
  expect([before, END].map((now) => isUnderAttack({ attackUntil: END }, now))).toEqual([true, false]);
});

test.each([
  [1, 144],
  [128, 144],
  [129, 145],
  [200, 216],
  [239, 255],
  [240, 255],
  [255, 255],
])('attack mode raises level %p to %p, with fast growth', (level, raised) => {
  const property = { attackUntil: END, level, growth: 'slow' } as const;
  expect(withAttackMode(property, before)).toEqual({
    attackUntil: END,
    level: raised,
    growth: 'fast',
  } as never);
  expect(withAttackMode(property, END)).toBe(property);
});
