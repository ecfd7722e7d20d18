import { describe, expect, test } from 'bun:test';
import { browserFamilyOf, patternsOfFamily, systemOf } from '../../src/model/browserFamilies.ts';

/** Each part of a header that identifies a family, in a header that contains nothing else of a family. */
const PARTS = {
  Edge: ['Edg/', 'Edge/', 'EdgA/', 'EdgiOS/'],
  Opera: ['OPR/'],
  Firefox: ['Firefox/', 'FxiOS/'],
  'Headless Chrome': ['HeadlessChrome/'],
  Chrome: ['Chrome/', 'CriOS/'],
  Safari: ['Safari/'],
  curl: ['curl/'],
  Wget: ['Wget/'],
  Python: ['python-requests/', 'python-httpx/', 'Python-urllib/', 'aiohttp/'],
  Go: ['Go-http-client/'],
  Java: ['Java/', 'Java-http-client/', 'okhttp/'],
  JavaScript: ['axios/', 'node-fetch', 'undici'],
} as const;

describe('the family of a browser', () => {
  test.each(Object.entries(PARTS))('%s is known by each of its parts', (family, parts) => {
    for (const part of parts) expect(browserFamilyOf(`Mozilla/5.0 (X11) ${part}1.0`)).toBe(family);
    expect(patternsOfFamily(family)).toEqual(parts.map((part) => `*${part}*`));
  });

  test.each([
    ['Chrome/1 Safari/1 Edg/1', 'Edge'],
    ['Chrome/1 Safari/1 OPR/1', 'Opera'],
    ['HeadlessChrome/1 Safari/1', 'Headless Chrome'],
    ['Chrome/1 Safari/1', 'Chrome'],
    ['Mozilla/5.0', undefined],
    ['', undefined],
  ])('of %p is %p, although the header names others', (header, family) => {
    expect(browserFamilyOf(header)).toBe(family);
  });

  test('has no patterns if it is unknown', () => {
    expect(patternsOfFamily('Lynx')).toEqual([]);
  });
});

test.each([
  ['Mozilla/5.0 (Linux; Android 14)', 'Android'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 'iOS'],
  ['Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X)', 'iOS'],
  ['Mozilla/5.0 (Windows NT 10.0)', 'Windows'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'macOS'],
  ['Mozilla/5.0 (X11; CrOS x86_64)', 'ChromeOS'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
  ['Mozilla/5.0 (FreeBSD)', undefined],
])('the system of %p is %p', (header, system) => {
  expect(systemOf(header)).toBe(system);
});
