import { expect, test } from 'bun:test';
import { createRequestIds, systemRandom } from '../../src/lib/ids.ts';

test('request ids have 22 characters and are unique', () => {
  const newId = createRequestIds(systemRandom);
  const ids = Array.from({ length: 1000 }, newId);
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-f]{9}$/);
});

test('two processes create different ids', () => {
  expect(createRequestIds(systemRandom)()).not.toBe(createRequestIds(systemRandom)());
});
