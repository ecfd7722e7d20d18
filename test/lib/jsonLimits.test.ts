import { expect, test } from 'bun:test';
import { exceededLimit } from '../../src/lib/json.ts';

const LIMITS = { tokens: 8, depth: 2 };
const exceeded = (json: string) => exceededLimit(Buffer.from(json), LIMITS);

test.each([
  ['one value', '1'],
  ['the maximum number of tokens', '[{"a":1,"b":2},1]'],
  ['the maximum depth', '[[],[]]'],
  ['tokens inside a string', '["{{{[[[:::,,,"]'],
  ['tokens after an escaped quotation mark', String.raw`["\",,,,,,,,[[["]`],
  ['an empty text', ''],
])('accepts %s', (_, json) => {
  expect(exceeded(json)).toBeUndefined();
});

test.each([
  ['one token too many', '[{"a":1,"b":2},1,2]', 'tokens'],
  ['one level too many', '[[[]]]', 'depth'],
  ['tokens after a string that ends in a backslash', String.raw`["\\",1,2,3,4,5,6,7,8]`, 'tokens'],
  ['unclosed brackets', '['.repeat(100), 'depth'],
] as const)('rejects %s', (_, json, limit) => {
  expect(exceeded(json)).toBe(limit);
});
