import { describe, expect, test } from 'bun:test';
import { createRequestMeter } from '../../src/http/requestMeter.ts';
import { pathOf } from '../../src/lib/target.ts';

const ROUTES = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/puzzle' },
  { method: 'POST', path: '/org/:org/properties' },
  { method: 'GET', path: '/org/:org/:thing' },
  { method: 'GET', path: '/org/:org/new' },
  { method: 'GET', path: '/widget/postern.0123456789abcdef.js' },
  { method: 'GET', path: '/widget/lang/de.0123456789abcdef.json' },
  { method: 'GET', path: '/widget/lang/pt-BR.0123456789abcdef.json' },
  { method: 'GET', path: '/portal/*' },
];

function open() {
  const meter = createRequestMeter();
  return { ...meter, record: meter.open(ROUTES) };
}

/** @returns the method and the route that a request counts for */
function countedAs(method: string, url: string): string {
  const { record, read } = open();
  record(method, pathOf(new Request(url)), 200, 1);
  return read()
    .map((reading) => `${reading.method} ${reading.route}`)
    .join();
}

describe('a request counts for', () => {
  const rows: readonly [request: string, route: string][] = [
    ['GET http://h/', 'GET /'],
    ['GET https://captcha.example.com:8443/puzzle?sitekey=/a/b', 'GET /puzzle'],
    ['GET http://h/puzzle', 'GET /puzzle'],
    ['GET http://h/puzzle/', 'GET /puzzle'],
    ['HEAD http://h/puzzle', 'HEAD /puzzle'],
    ['PUT http://h/puzzle', 'other unmatched'],
    ['GET http://h/PUZZLE', 'other unmatched'],
    ['POST http://h/org/1/properties', 'POST /org/:org/properties'],
    ['GET http://h/org/1/new?x=y', 'GET /org/:org/new'],
    ['GET http://h/org/1/other', 'GET /org/:org/:thing'],
    ['GET http://h/org/1/other/more', 'other unmatched'],
    ['GET http://h/widget/postern.0123456789abcdef.js', 'GET /widget/postern.:hash.js'],
    ['GET http://h/widget/postern.fedcba9876543210.js', 'other unmatched'],
    ['GET http://h/widget/lang/de.0123456789abcdef.json', 'GET /widget/lang/:language.:hash.json'],
    ['GET http://h/widget/lang/pt-BR.0123456789abcdef.json', 'GET /widget/lang/:language.:hash.json'],
    ['GET http://h/portal/unknown', 'other unmatched'],
    ['GET http://h/__proto__', 'other unmatched'],
  ];
  for (const [request, route] of rows) {
    test(`${route}: ${request}`, () => {
      const [method = '', url = ''] = request.split(' ');
      expect(countedAs(method, url)).toBe(route);
    });
  }
});

test('responses are counted by status, with their durations in seconds', () => {
  const { record, read } = open();
  record('GET', '/puzzle', 200, 0.1);
  record('GET', '/puzzle', 200, 3);
  record('GET', '/puzzle', 429, 20_000);
  const [reading] = read();
  expect(reading?.statuses).toEqual(
    new Map([
      [200, 2],
      [429, 1],
    ]),
  );
  expect(reading?.seconds.sum).toBeCloseTo(20.0031);
  const { counts, bounds } = reading?.seconds ?? { counts: [], bounds: [] };
  expect(bounds.map((bound, at) => [bound, counts[at]]).filter(([, count]) => count !== 0)).toEqual([
    [0.0005, 1],
    [0.005, 1],
  ]);
  expect(counts[bounds.length]).toBe(1);
});

test('routes without requests are not reported', () => {
  expect(open().read()).toEqual([]);
});
