import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { workOf } from '../../../src/captcha/solveCosts.ts';
import { bytesFromBase64 } from '../../../src/lib/bytes.ts';
import { amountOf, durationOf, hashesOf, timesOf } from '../../../src/portal/properties/solveCost.tsx';
import { parsePuzzle } from '../../../src/puzzle/puzzle.ts';
import { solvePuzzle } from '../../../src/puzzle/solve.ts';
import { createBlake2b } from '../../../src/server/blake2b.ts';
import { addProperty, addPropertyOwner, propertyPath } from '../../support/propertyOwner.ts';
import { addTenant, startServer, type TestServer } from '../../support/server.ts';
import { verify } from '../../support/visitor.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const ask = (query: string) => fetch(`${server.url}/portal/playground/puzzle?${query}`);

describe('a puzzle of the playground', () => {
  test('is for the property and the level in the query and can be solved', async () => {
    const { property } = await addTenant(server);
    const response = await ask(`level=9&sitekey=${property.sitekey}`);
    const text = await response.text();
    const puzzle = parsePuzzle(bytesFromBase64(text.split('.')[0] ?? '') ?? new Uint8Array());
    expect(puzzle).toMatchObject({ difficulty: 9, solutionCount: 16 });
    expect(puzzle?.propertyId.toHex()).toBe(property.sitekey);
    expect(puzzle?.expiresAtSeconds).toBe(Math.floor(server.clock.now / 1000) + 3600);
    expect(solvePuzzle(text, createBlake2b(), () => 0)).toBeDefined();
    expect(await (await ask(`level=9&sitekey=${property.sitekey}`)).text()).not.toBe(text);
  });

  test('is not accepted by a backend, not counted, and not stored', async () => {
    const tenant = await addTenant(server);
    const before = await server.written();
    const text = await (await ask(`level=1&sitekey=${tenant.property.sitekey}`)).text();
    const payload = solvePuzzle(text, createBlake2b(), () => 0)?.payload ?? '';
    expect(await verify(server.url, tenant.verifyKey, payload)).toMatchObject({ success: false, code: 4 });
    expect(await server.written()).toEqual(before);
    await server.app.flush();
    const issued = 'SELECT * FROM statistics_hourly WHERE property_id = ?';
    expect(await server.raw.query(issued, [tenant.property.id])).toEqual([]);
  });

  test.each([
    ['argon2id', 152, '2'],
    ['hashwx', 60, '3'],
  ])(
    'is a puzzle with %s for widgets that can solve it, if the level is at least %i',
    async (challenge, least, newest) => {
      const { property } = await addTenant(server);
      const kindAt = async (level: number, version: string) => {
        const response = await fetch(
          `${server.url}/portal/playground/puzzle?level=${level}&challenge=${challenge}&sitekey=${property.sitekey}`,
          { headers: { 'X-PC-Captcha-Version': version } },
        );
        return parsePuzzle(bytesFromBase64((await response.text()).split('.')[0] ?? '') ?? new Uint8Array());
      };
      expect(await kindAt(least + 8, newest)).toMatchObject({ challenge, difficulty: 32, solutionCount: 8 });
      expect(await kindAt(least - 1, newest)).toMatchObject({ challenge: 'blake2b', difficulty: least - 1 });
      expect(await kindAt(160, '1')).toMatchObject({ challenge: 'blake2b', difficulty: 160 });
      expect((await ask(`level=9&challenge=md5&sitekey=${property.sitekey}`)).status).toBe(400);
    },
  );

  test.each(['', 'level=0', 'level=256', 'level=1.5', 'level=%2b5', 'level=5&sitekey=x', 'level=5'])(
    'is not issued for %s',
    async (query) => {
      expect((await ask(query)).status).toBe(400);
    },
  );
});

describe('the playground', () => {
  // The portal's Portuguese is Brazilian, and the widget has both.
  test.each([
    ['pt', 'pt-BR'],
    ['ja', 'ja'],
  ])('with pages in %s has the widget in %s', async (language, widget) => {
    const owner = await addPropertyOwner(server);
    const path = `${propertyPath(server, owner, await addProperty(server, owner))}/playground`;
    const { text } = await owner.browser.get(path, { 'Accept-Language': language });
    expect(text).toContain(`data-lang="${widget}"`);
  });

  test('has the widget with the level of the property or the level in the query', async () => {
    const owner = await addPropertyOwner(server);
    const path = `${propertyPath(server, owner, await addProperty(server, owner, { level: 77 }))}/playground`;
    const endpoint = (level: number) => `data-puzzle-endpoint="/portal/playground/puzzle?level=${level}"`;
    expect((await owner.browser.get(path)).text).toContain(endpoint(77));
    expect((await owner.browser.get(`${path}?level=200`)).text).toContain(endpoint(200));
  });

  test.each([
    ['argon2id', 160, 'about 128 attempts'],
    ['hashwx', 68, 'about 128 attempts'],
  ] as const)('uses the kind of puzzles of the property: %s', async (challenge, level, attempts) => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner, { level, challenge });
    const { text } = await owner.browser.get(`${propertyPath(server, owner, property)}/playground`);
    expect(text).toContain(`puzzle?level=${level}&amp;challenge=${challenge}"`);
    expect(text).toContain(attempts);
  });

  test('shows the allowed levels and the typed value if the level is invalid', async () => {
    const owner = await addPropertyOwner(server);
    const path = `${propertyPath(server, owner, await addProperty(server, owner))}/playground`;
    const shown = await owner.browser.get(`${path}?level=999`);
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('The level must be a whole number from 1 to 255.');
    expect(shown.text).toContain('value="999"');
    expect(shown.text).toContain('puzzle?level=128"');
  });
});

describe('what a level costs', () => {
  test('is the work of its puzzles', () => {
    expect(amountOf(workOf(128, 'blake2b').attempts)).toBe('1 million');
    expect(amountOf(workOf(255, 'argon2id').attempts)).toBe('480,771');
    expect(hashesOf(workOf(152, 'argon2id'))).toBe('64 argon2id');
    expect(hashesOf(workOf(151, 'argon2id'))).toBe('7.7 million BLAKE2b');
    expect(hashesOf(workOf(128, 'hashwx'))).toBe('23,170 HashWX');
  });

  test('is described for a laptop, a phone, and a bot', () => {
    expect(timesOf(128, 'blake2b')).toEqual({ laptop: '34 ms', phone: '1 s', bot: '26 ms' });
    expect(timesOf(128, 'argon2id')).toEqual(timesOf(128, 'blake2b'));
    expect(timesOf(152, 'argon2id')).not.toEqual(timesOf(152, 'blake2b'));
  });

  test('is a table of all kinds, which the script of the form requests', async () => {
    const { browser } = await addPropertyOwner(server);
    const rows = async (query: string) => {
      const { status, text } = await browser.get(`/portal/cost?${query}`);
      expect(status).toBe(200);
      expect(text).not.toContain('<html');
      return [...text.matchAll(/<tr>(.*?)<\/tr>/gs)]
        .slice(1)
        .map(([, row = '']) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell));
    };
    const times = await rows('level=128&challenge=argon2id');
    expect(times.map(([name]) => name)).toEqual(['Slow phone', 'Phone', 'Laptop', 'Server core', 'GPU']);
    expect(times[3]).toEqual([
      'Server core',
      '<strong>26 ms</strong>',
      '52 ms',
      '<strong>$0.036</strong>',
      '$0.072',
    ]);
    expect(times[0]).toEqual(['Slow phone', '<strong>1 s</strong>', '72 ms', '', '']);
    const harder = await rows('level=168&challenge=argon2id');
    expect(harder[2]).toEqual(['Laptop', '1.1 s', '<strong>0.98 s</strong>', '1.1 s', '', '', '']);
    expect(harder[4]).toEqual([
      'GPU',
      '2.6 ms',
      '<strong>9.6 ms</strong>',
      '38 ms',
      '$0.24',
      '<strong>$0.91</strong>',
      '$3.6',
    ]);
    expect((await rows('level=59&challenge=hashwx'))[2]).toEqual(['Laptop', 'less than 1 ms', '']);
    for (const query of [
      '',
      'level=0&challenge=blake2b',
      'level=128',
      'level=128&challenge=sha',
      'level=1e2&challenge=blake2b',
    ])
      expect((await browser.get(`/portal/cost?${query}`)).status).toBe(400);
  });

  test.each([
    [0.2, 'less than 1 ms'],
    [34.4, '34 ms'],
    [1000, '1 s'],
    [1449, '1.4 s'],
    [119_000, '119 s'],
    [150_000, '2.5 min'],
    [7_200_000, '2 h'],
  ])('%d milliseconds are %s', (milliseconds, text) => {
    expect(durationOf(milliseconds)).toBe(text);
  });
});
