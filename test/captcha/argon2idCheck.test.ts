import { describe, expect, test } from 'bun:test';
import {
  type Argon2idOwner,
  type Argon2idResult,
  createArgon2idCheck,
} from '../../src/captcha/argon2idCheck.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { Sitekey } from '../../src/model/property.ts';
import type { Argon2idWork } from '../../src/puzzle/argon2id.ts';
import { parsePuzzle, toPuzzleBytes } from '../../src/puzzle/puzzle.ts';

/** The property with this digit, of an organization and an owner with these numbers. */
function property(digit: number, organization: number, owner = organization): Argon2idOwner {
  const sitekey = `${digit}`.repeat(32) as Sitekey;
  return { sitekey, organizationId: organization as OrganizationId, ownerId: owner as AccountId };
}

const shop = property(1, 1);
const blog = property(2, 2);

/** A check whose verifications end when the test ends them. */
function open({ parallelism = 1, queue = 3 } = {}) {
  const running: { readonly work: Argon2idWork; readonly end: (isValid: boolean) => void }[] = [];
  const metered: string[] = [];
  const clock = { now: 0 };
  const { check, read } = createArgon2idCheck({
    parallelism,
    queue,
    verify(work) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      running.push({ work, end: resolve });
      return promise;
    },
    monotonicMs: () => clock.now,
    meter: {
      rejected: () => metered.push('rejected'),
      verified: (result, seconds) => metered.push(`${result} after ${seconds} s`),
    },
  });
  return { check, read, running, metered, clock };
}

function payloadOf(puzzleId: number, solution = 1) {
  const puzzleBytes = toPuzzleBytes({
    version: 2,
    challenge: 'argon2id',
    propertyId: new Uint8Array(16),
    puzzleId: new Uint8Array(8).fill(puzzleId),
    difficulty: 24,
    solutionCount: 8,
    expiresAtSeconds: 1,
    userData: new Uint8Array(16),
  });
  const puzzle = parsePuzzle(puzzleBytes);
  if (puzzle === undefined) throw new Error('not a puzzle');
  return { puzzle, puzzleBytes, solutions: new Uint8Array(64).fill(solution) };
}

/** Lets all promises proceed that wait for nothing else. */
const settle = () => new Promise(setImmediate);

describe('argon2id verifications', () => {
  test('receive the block, the solutions, and the threshold, and return whether they are valid', async () => {
    const { check, running, metered, clock } = open();
    const payload = payloadOf(1);
    const [valid, invalid] = [check(shop, payload), check(blog, payloadOf(2))];
    await settle();
    expect(running[0]?.work.block.subarray(0, 48)).toEqual(payload.puzzleBytes);
    expect(running[0]?.work).toMatchObject({ solutions: payload.solutions, threshold: 2 ** 29 - 1 });
    clock.now = 50;
    running[0]?.end(true);
    expect(await valid).toBe('valid');
    await settle();
    clock.now = 60;
    running[1]?.end(false);
    expect(await invalid).toBe('invalid');
    expect(metered).toEqual(['valid after 0.05 s', 'invalid after 0.06 s']);
  });

  test('take the time from the request to the result', async () => {
    const { check, running, metered, clock } = open();
    clock.now = 7000;
    const valid = check(shop, payloadOf(1));
    await settle();
    clock.now = 7250;
    running[0]?.end(true);
    expect(await valid).toBe('valid');
    expect(metered).toEqual(['valid after 0.25 s']);
  });

  test('of one puzzle can succeed any number of times', async () => {
    const { check, running } = open();
    for (let n = 0; n < 5; n++) {
      const valid = check(shop, payloadOf(1));
      await settle();
      running[n]?.end(true);
      expect(await valid).toBe('valid');
    }
  });

  test.each([1, 3])('run %i at the same time, and others wait', async (parallelism) => {
    const { check, read, running } = open({ parallelism, queue: 20 });
    const results = Array.from({ length: 6 }, (_, i) => check(shop, payloadOf(i)));
    await settle();
    expect(running).toHaveLength(parallelism);
    expect(read()).toEqual({ running: parallelism, waiting: 6 - parallelism });
    for (let i = 0; i < 6; i++) {
      running[i]?.end(true);
      await settle();
    }
    expect(await Promise.all(results)).toEqual(Array(6).fill('valid'));
    expect(read()).toEqual({ running: 0, waiting: 0 });
  });

  test('are rejected while the queue is full, and accepted afterwards', async () => {
    const { check, running, metered } = open({ queue: 3 });
    const waiting = [1, 2, 3, 4].map((i) => check(property(i, i), payloadOf(i)));
    expect(await check(property(5, 5), payloadOf(9))).toBe('busy');
    expect(metered).toEqual(['rejected']);
    for (let i = 0; i < 4; i++) {
      await settle();
      running[i]?.end(true);
    }
    expect(await Promise.all(waiting)).toEqual(Array(4).fill('valid'));
    const after = check(shop, payloadOf(9));
    await settle();
    running[4]?.end(true);
    expect(await after).toBe('valid');
  });

  test.each([
    ['properties', 0],
    ['organizations', 10],
  ])('of one tenant do not keep others out, however many %s it has', async (_, organizations) => {
    // The properties of one tenant filled the queue, and the verifications of all others were rejected.
    const { check, running } = open({ queue: 6 });
    const order: string[] = [];
    const start = (owner: Argon2idOwner, name: string, i: number) =>
      check(owner, payloadOf(i)).then((result) => order.push(`${name} ${result}`));
    const shops = [1, 2, 3, 4, 5, 6, 7].map((i) =>
      start(property(i, 1 + organizations * i, 1), `shop ${i}`, i),
    );
    const blogs = [11, 12].map((i) => start(blog, `blog ${i}`, i));
    const news = start(property(9, 3), 'news', 13);
    for (let i = 0; i < 7; i++) {
      await settle();
      running[i]?.end(true);
    }
    await Promise.all([...shops, ...blogs, news]);
    const rejected = ['shop 7 busy', 'shop 6 busy', 'shop 5 busy'];
    const verified = ['shop 1', 'shop 2', 'blog 11', 'news', 'shop 3', 'blog 12', 'shop 4'];
    expect(order).toEqual([...rejected, ...verified.map((name) => `${name} valid`)]);
  });

  test('of the properties of a tenant take turns, and replace those of the property with the most', async () => {
    const { check, running } = open({ queue: 4 });
    const order: string[] = [];
    const start = (digit: number, i: number) =>
      check(property(digit, 1), payloadOf(i)).then((result) => order.push(`${digit} ${result}`));
    const all = [start(1, 1), start(1, 2), start(1, 3), start(1, 4), start(1, 5), start(2, 6), start(2, 7)];
    // The newest of the first property left. Now both properties have two, so nothing replaces another one.
    expect(await check(property(2, 1), payloadOf(8))).toBe('busy');
    for (let i = 0; i < 5; i++) {
      await settle();
      running[i]?.end(true);
    }
    await Promise.all(all);
    expect(order).toEqual(['1 busy', '1 busy', '1 valid', '1 valid', '2 valid', '1 valid', '2 valid']);
  });

  test('of the same payload share one result while they run', async () => {
    const { check, read, running } = open();
    const results = Array.from({ length: 100 }, () => check(shop, payloadOf(1)));
    await settle();
    expect(running).toHaveLength(1);
    expect(read()).toEqual({ running: 1, waiting: 0 });
    running[0]?.end(true);
    expect(new Set(await Promise.all(results))).toEqual(new Set<Argon2idResult>(['valid']));
    const again = check(shop, payloadOf(1));
    await settle();
    running[1]?.end(true);
    expect(await again).toBe('valid');
  });

  test('are rejected without hashing after three wrong payloads for a puzzle, even those that already wait', async () => {
    const { check, running } = open({ queue: 20 });
    const results = [1, 2, 3, 4, 5].map((solution) => check(shop, payloadOf(1, solution)));
    for (let i = 0; i < 3; i++) {
      await settle();
      running[i]?.end(false);
    }
    expect(await Promise.all(results)).toEqual(Array(5).fill('invalid'));
    expect(await check(shop, payloadOf(1, 6))).toBe('invalid');
    expect(running).toHaveLength(3);
    const other = check(shop, payloadOf(2, 6));
    await settle();
    running[3]?.end(true);
    expect(await other).toBe('valid');
  });

  test('that fail make room for others', async () => {
    let isBroken = true;
    const { check, read } = createArgon2idCheck({
      parallelism: 1,
      queue: 1,
      verify: () => (isBroken ? Promise.reject(new Error('no library')) : Promise.resolve(true)),
      monotonicMs: () => 0,
      meter: { rejected() {}, verified() {} },
    });
    for (let i = 0; i < 3; i++) {
      const failure = await check(shop, payloadOf(1)).catch((error: Error) => error.message);
      expect(failure).toBe('no library');
    }
    isBroken = false;
    expect(await check(shop, payloadOf(1))).toBe('valid');
    expect(read()).toEqual({ running: 0, waiting: 0 });
  });
});
