import { expect, test } from 'bun:test';
import { remembered } from '../../src/lib/remembered.ts';

test('a remembered function is called once for a key, until other keys exceed its size', () => {
  const calls: string[] = [];
  const upper = remembered(2, (key) => {
    calls.push(key);
    return key.toUpperCase();
  });
  expect(['a', 'b', 'a', 'c', 'c', 'a'].map(upper)).toEqual(['A', 'B', 'A', 'C', 'C', 'A']);
  expect(calls).toEqual(['a', 'b', 'c', 'a']);
});
