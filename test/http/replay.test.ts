import { describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addTenant, startServer, type Tenant } from '../support/server.ts';
import { describeSqlite } from '../support/testStorage.ts';
import { useServer } from '../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle, solve, verify } from '../support/visitor.ts';
import { solvedAgain, withDuplicates, withFlippedBit, withoutMetadata, withWrongNonce } from './payload.ts';

const server = useServer();

/** Counts verdicts, as in `{ '0 true': 1, '8 false': 9 }`. */
function tally(verdicts: readonly { readonly success: boolean; readonly code: number }[]) {
  const counts: Record<string, number> = {};
  for (const { success, code } of verdicts) {
    const name = `${code} ${success}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe('2,000 concurrent verifications of one solution', () => {
  for (const allowance of [1, 7, 1000]) {
    test(`succeed exactly ${allowance} times, once with code 0`, async () => {
      const { property, verifyKey } = await addTenant(server, { allowance });
      const solved = await fetchAndSolve(server.url, property.sitekey);
      // The same puzzle in three encodings.
      const writings = [solved, withoutMetadata(solved), solvedAgain(solved)];
      const before = (await server.written()).claims;
      const verdicts = await Promise.all(
        Array.from({ length: 2000 }, (_, i) => verify(server.url, verifyKey, writings[i % 3] as string)),
      );
      const repeats = allowance === 1 ? {} : { '8 true': allowance - 1 };
      expect(tally(verdicts)).toEqual({ '0 true': 1, ...repeats, '8 false': 2000 - allowance });
      expect((await server.written()).claims - before).toBeGreaterThanOrEqual(allowance);
    });
  }

  test('succeed as often as allowed within one turn of the event loop', async () => {
    const { property, verifyKey } = await addTenant(server, { allowance: 3 });
    const body = await fetchAndSolve(server.url, property.sitekey);
    const headers = { 'X-API-Key': verifyKey };
    const answers = await Promise.all(
      Array.from({ length: 2000 }, () =>
        server.app.fetch(new Request(`${server.url}/verify`, { method: 'POST', headers, body })),
      ),
    );
    const verdicts = await Promise.all(
      answers.map((answer) => answer.json() as Promise<{ success: boolean; code: number }>),
    );
    expect(tally(verdicts)).toEqual({ '0 true': 1, '8 true': 2, '8 false': 1997 });
  });

  test('succeed as often as allowed if half of them use /siteverify', async () => {
    const { property, verifyKey } = await addTenant(server);
    const response = await fetchAndSolve(server.url, property.sitekey);
    const body = new URLSearchParams({ secret: verifyKey, response });
    const answers = await Promise.all(
      Array.from({ length: 400 }, async (_, i) => {
        if (i % 2 === 0) return (await verify(server.url, verifyKey, response)).success;
        const answer = await fetch(`${server.url}/siteverify`, { method: 'POST', body });
        return ((await answer.json()) as { success: boolean }).success;
      }),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
  });
});

describe('a rejected verification', () => {
  test('does not use up the solution', async () => {
    const tenant = await addTenant(server, { level: 64 });
    const otherTenant = await addTenant(server);
    const solved = await fetchAndSolve(server.url, tenant.property.sitekey);
    const { verifyKey } = tenant;
    const before = await server.written();
    const rejections = [
      await verify(server.url, undefined, solved),
      await verify(server.url, 'x'.repeat(40), solved),
      await verify(server.url, tenant.portalKey, solved),
      await verify(server.url, otherTenant.verifyKey, solved),
      await verify(server.url, verifyKey, solved, { 'X-PC-Sitekey': otherTenant.property.sitekey }),
      await verify(server.url, verifyKey, withFlippedBit(solved, 'puzzle', 20)),
      await verify(server.url, verifyKey, withFlippedBit(solved, 'signature', -1)),
      await verify(server.url, verifyKey, withDuplicates(solved)),
      await verify(server.url, verifyKey, withWrongNonce(solved, 9)),
      await verify(server.url, verifyKey, `${solved}.`),
    ];
    expect(rejections.map(({ code }) => code)).toEqual([1, 1, 1, 7, 6, 11, 11, 2, 3, 4]);
    expect(await server.written()).toEqual(before);
    expect(await verify(server.url, verifyKey, solved)).toMatchObject({ success: true, code: 0 });
    expect((await server.written()).claims).toBe(before.claims + 1);
  });
});

describeSqlite('the size of the replay guard', () => {
  test('changes no verdict: ten puzzles or a hundred thousand', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const copies = ['small', 'large'].map((name) => mkdtempSync(join(tmpdir(), `postern-test-${name}-`)));
    const created = await startServer({ dataDir });
    const tenants: Tenant[] = [];
    const payloads: string[] = [];
    for (const allowance of [1, 2, 5]) {
      const tenant = await addTenant(created, { allowance });
      tenants.push(tenant);
      for (let i = 0; i < 20; i++) payloads.push(await fetchAndSolve(created.url, tenant.property.sitekey));
    }
    await created.stop();
    const sequence = interleaved(payloads.length, 600);
    const seen = [];
    for (const [i, copy] of copies.entries()) {
      cpSync(dataDir, copy, { recursive: true });
      const twin = await startServer({ dataDir: copy, replayCapacity: i === 0 ? 10 : 100_000 });
      twin.clock.now = created.clock.now;
      const verdicts = [];
      // Thirty at a time, so that some arrive together and some one after the other.
      for (let at = 0; at < sequence.length; at += 30) {
        const group = sequence.slice(at, at + 30).map(async (n) => {
          const { verifyKey } = tenants[Math.floor(n / 20)] as Tenant;
          const { code, success } = await verify(twin.url, verifyKey, payloads[n] as string);
          return `${n}: ${code} ${success}`;
        });
        verdicts.push(...(await Promise.all(group)).sort());
      }
      seen.push(verdicts);
      await twin.stop();
    }
    for (const folder of [dataDir, ...copies]) rmSync(folder, { recursive: true, force: true });
    expect(seen[0]).toEqual(seen[1] as string[]);
    const successes = (seen[0] as string[]).filter((verdict) => verdict.endsWith('true'));
    expect(successes).toHaveLength(20 * (1 + 2 + 5));
  });
});

/** Numbers below `count`, each several times, in a pseudo-random order. */
function interleaved(count: number, length: number): number[] {
  let state = 12_345;
  const order = Array.from({ length }, (_, i) => i % count);
  for (let i = length - 1; i > 0; i--) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  return order;
}

describe('after a restart on the same folder', () => {
  test('verified solutions stay verified, and the remaining verifications are accepted', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const before = await startServer({ dataDir });
    const once = await addTenant(before);
    const thrice = await addTenant(before, { allowance: 3 });
    const spent = await fetchAndSolve(before.url, once.property.sitekey);
    const fresh = await fetchAndSolve(before.url, once.property.sitekey);
    const half = await fetchAndSolve(before.url, thrice.property.sitekey);
    const puzzle = await fetchPuzzle(before.url, once.property.sitekey);
    expect(await verify(before.url, once.verifyKey, spent)).toMatchObject({ success: true, code: 0 });
    expect(await verify(before.url, thrice.verifyKey, half)).toMatchObject({ success: true, code: 0 });
    await before.stop();

    const after = await startServer({ dataDir });
    after.clock.now = before.clock.now;
    const verdictOf = async (tenant: Tenant, payload: string) => {
      const { success, code } = await verify(after.url, tenant.verifyKey, payload);
      return `${code} ${success}`;
    };
    expect(await verdictOf(once, spent)).toBe('8 false');
    expect(await verdictOf(once, fresh)).toBe('0 true');
    expect(await verdictOf(once, fresh)).toBe('8 false');
    expect(await verdictOf(once, solve(puzzle))).toBe('0 true');
    expect([
      await verdictOf(thrice, half),
      await verdictOf(thrice, half),
      await verdictOf(thrice, half),
    ]).toEqual(['8 true', '8 true', '8 false']);
    await after.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('two servers on one folder', () => {
  test('together accept a solution once', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const one = await startServer({ dataDir });
    const { property, verifyKey } = await addTenant(one);
    const two = await startServer({ dataDir });
    two.clock.now = one.clock.now;
    for (let i = 0; i < 20; i++) {
      const payload = await fetchAndSolve(one.url, property.sitekey);
      const verdicts = await Promise.all(
        [one, two, one, two].map(({ url }) => verify(url, verifyKey, payload)),
      );
      expect(tally(verdicts)).toEqual({ '0 true': 1, '8 false': 3 });
    }
    await one.stop();
    await two.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
