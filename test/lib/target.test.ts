import { expect, test } from 'bun:test';
import { parameterOf, queryOf } from '../../src/lib/target.ts';

const valueIn = (search: string) => parameterOf({ url: `/puzzle${search}` } as Request, 'sitekey');

test.each([
  ['?sitekey=a', 'a'],
  ['?x=1&sitekey=a&sitekey=b', 'a'],
  ['?sitekey=%41+b', 'A b'],
  ['?sitekey=', ''],
  ['?mysitekey=a', undefined],
  ['?x=sitekey=a', undefined],
  // A question mark within a query is allowed, but was mistaken for the start of the query.
  ['?path=/a?sitekey=b&sitekey=a', 'a'],
  ['??sitekey=a', undefined],
])('the parameter in %s is %p, as in URLSearchParams', (search, value) => {
  expect(valueIn(search)).toBe(value);
  expect(queryOf({ url: `/puzzle${search}` } as Request).get('sitekey') ?? undefined).toBe(value);
});
