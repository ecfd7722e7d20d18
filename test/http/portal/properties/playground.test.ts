import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { expectedPuzzleAttempts } from '../../../../src/captcha/playground.ts';
import { amountOf, durationOf, solveMs, timesOf } from '../../../../src/http/portal/properties/solveCost.tsx';
import { bytesFromBase64 } from '../../../../src/lib/bytes.ts';
import { parsePuzzle } from '../../../../src/puzzle/puzzle.ts';
import { solvePuzzle } from '../../../../src/puzzle/solve.ts';
import { createBlake2b } from '../../../../src/server/crypto.ts';
import { addProperty, addPropertyOwner, propertyPath } from '../../../support/propertyOwner.ts';
import { addTenant, startServer, type TestServer } from '../../../support/server.ts';
import { verify } from '../../../support/visitor.ts';

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

  test.each(['', 'level=0', 'level=256', 'level=1.5', 'level=%2b5', 'level=5&sitekey=x', 'level=5'])(
    'is not issued for %s',
    async (query) => {
      expect((await ask(query)).status).toBe(400);
    },
  );
});

describe('the playground', () => {
  test('has the widget with the level of the property or the level in the query', async () => {
    const owner = await addPropertyOwner(server);
    const path = `${propertyPath(server, owner, await addProperty(server, owner, { level: 77 }))}/playground`;
    const endpoint = (level: number) => `data-puzzle-endpoint="/portal/playground/puzzle?level=${level}"`;
    expect((await owner.browser.get(path)).text).toContain(endpoint(77));
    expect((await owner.browser.get(`${path}?level=200`)).text).toContain(endpoint(200));
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
  test('is 16 solutions of two to the power of an eighth of it', () => {
    for (const level of [1, 64, 128, 160])
      expect(expectedPuzzleAttempts(level) / (16 * 2 ** (level / 8))).toBeCloseTo(1, 3);
    expect(amountOf(expectedPuzzleAttempts(128))).toBe('1 million');
    expect(amountOf(expectedPuzzleAttempts(255))).toBe('34 billion');
  });

  test('is described for a laptop, a phone, and a bot', () => {
    expect(solveMs(128, 'laptop')).toBeCloseTo(34, 0);
    expect(timesOf(128)).toEqual({ laptop: '34 ms', phone: '1 sec', bot: '66 ms' });
  });

  test.each([
    [0.2, 'less than 1 ms'],
    [34.4, '34 ms'],
    [1000, '1 sec'],
    [1449, '1.4 sec'],
    [119_000, '119 sec'],
    [150_000, '2.5 min'],
    [7_200_000, '2 hr'],
  ])('%d milliseconds are %s', (milliseconds, text) => {
    expect(durationOf(milliseconds)).toBe(text);
  });
});
