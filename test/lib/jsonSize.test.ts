import { expect, test } from 'bun:test';
import { excessOf } from '../../src/lib/jsonSize.ts';

const BOUNDS = { tokens: 8, depth: 2 };
const isWithin = (json: string) => excessOf(Buffer.from(json), BOUNDS) === undefined;

test.each([
  ['one value', '1'],
  ['as many tokens as are allowed', '[{"a":1,"b":2},1]'],
  ['as many levels as are allowed', '[[],[]]'],
  ['tokens within a string', '["{{{[[[:::,,,"]'],
  ['tokens after an escaped quotation mark', String.raw`["\",,,,,,,,[[["]`],
  ['nothing', ''],
])('is within its bounds: %s', (_, json) => {
  expect(isWithin(json)).toBe(true);
});

test.each([
  ['a token too many', '[{"a":1,"b":2},1,2]'],
  ['a level too many', '[[[]]]'],
  ['tokens after a string that ends in a backslash', String.raw`["\\",1,2,3,4,5,6,7,8]`],
  ['brackets that are never closed', '['.repeat(100)],
])('is beyond its bounds: %s', (_, json) => {
  expect(isWithin(json)).toBe(false);
});
