import { expect, test } from 'bun:test';
import { threadCountOf } from '../../../src/server/threads/memory.ts';

test.each([
  ['is the number of cores by default', undefined, 3, 3],
  ['is at most 4 by default', undefined, 64, 4],
  ['is 1 on a machine with one core', undefined, 1, 1],
  ['is 1 on a machine with two cores', undefined, 2, 1],
  ['is 1 if the number of cores is unknown', undefined, 0, 1],
  ['is the setting, even with fewer cores', 4, 2, 4],
  ['is the setting, even with more cores', 1, 8, 1],
] as const)('the number of request threads %s', (_, setting, cores, expected) => {
  expect(threadCountOf(setting, cores)).toBe(expected);
});
