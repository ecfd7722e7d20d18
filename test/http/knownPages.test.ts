import { expect, test } from 'bun:test';
import { createKnownPages } from '../../src/http/captcha/puzzle.ts';

const COMMON = { 'Cache-Control': 'no-store' };

test('the headers of an origin are prepared once', () => {
  const pages = createKnownPages(COMMON);
  const headers = pages.headersFor('https://example.com');
  expect(pages.headersFor('https://example.com')).toBe(headers);
  expect(Object.fromEntries(headers)).toEqual({
    'cache-control': 'no-store',
    'access-control-allow-origin': 'https://example.com',
  });
});

test('an origin that received a puzzle is not parsed again', () => {
  const pages = createKnownPages(COMMON);
  expect(pages.hostOf('https://example.com:8443')).toBeUndefined();
  pages.headersFor('https://example.com:8443');
  expect(pages.hostOf('https://example.com:8443')).toBe('example.com');
});

test('at most 1,000 origins are in memory, and the oldest one is evicted first', () => {
  const pages = createKnownPages(COMMON);
  const origins = Array.from({ length: 1001 }, (_, i) => `https://${i}.example.com`);
  for (const origin of origins) pages.headersFor(origin);
  expect(origins.filter((origin) => pages.hostOf(origin) === undefined)).toEqual(['https://0.example.com']);
});
