import { describe, expect, test } from 'bun:test';
import { type Ask, createIssuePuzzle, type IssueOutcome } from '../../src/captcha/issue.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { createKeyRing, openSignature } from '../../src/captcha/signature.ts';
import { bytesOfBase64 } from '../../src/lib/bytes.ts';
import { type Random, systemRandom } from '../../src/lib/ids.ts';
import { type Instant, instantOfSeconds } from '../../src/lib/time.ts';
import { type Property, TEST_SITEKEY } from '../../src/model/property.ts';
import { parsePuzzle } from '../../src/puzzle/puzzle.ts';
import { hmac, property, signingKey, sitekey } from './fakes.ts';

const ring = createKeyRing([signingKey(1)]);
const issuedAtSeconds = 1_800_000_000;

function open(
  change: {
    found?: Property | undefined;
    random?: Random;
    hasTestProperty?: boolean;
    isAsync?: boolean;
    counted?: unknown[];
  } = {},
) {
  const found = 'found' in change ? change.found : property;
  const issue = createIssuePuzzle({
    properties: { bySitekey: () => (change.isAsync ? Promise.resolve(found) : found) },
    load: createLoadMeter(100),
    keyRing: () => ring,
    hmac,
    clock: () => (instantOfSeconds(issuedAtSeconds) + 999) as Instant,
    random: change.random ?? systemRandom,
    hasTestProperty: change.hasTestProperty ?? true,
    count: { issued: (...told) => change.counted?.push(told) },
    onFailure: () => {},
  });
  return async (ask: Partial<Ask> = {}) =>
    issue({ sitekey, origin: 'https://example.com', client: 1, ...ask });
}

function read(outcome: IssueOutcome) {
  if (!outcome.ok) throw new Error(outcome.problem);
  const [puzzle, signature] = outcome.value.text.split('.').map(bytesOfBase64);
  if (puzzle === undefined || signature === undefined) throw new Error('not base64');
  return { puzzle: parsePuzzle(puzzle), facts: openSignature(puzzle, signature, ring, hmac) };
}

describe('a puzzle', () => {
  test('names the property, its difficulty and its expiration, and is signed with the page and the time', async () => {
    const { puzzle, facts } = read(await open()({ origin: 'https://EXAMPLE.com:8443' }));
    expect(puzzle?.propertyId.toHex()).toBe(sitekey);
    expect(puzzle).toMatchObject({
      difficulty: 1,
      solutionCount: 16,
      expiresAtSeconds: issuedAtSeconds + 1800,
    });
    expect(facts).toEqual({ host: 'example.com', issuedAtSeconds });
  });

  test('is the same kind of puzzle for a property that has to be read first', async () => {
    expect(read(await open({ isAsync: true })()).facts?.host).toBe('example.com');
  });

  test('is never given twice', async () => {
    const issue = open();
    const ids = new Set<string>();
    for (let i = 0; i < 100; i++) ids.add(read(await issue()).puzzle?.puzzleId.toHex() ?? '');
    expect(ids.size).toBe(100);
  });

  test('is counted once, for its property; a refusal and the test puzzle are not', async () => {
    const counted: unknown[] = [];
    const issue = open({ counted });
    await issue();
    await issue({ origin: 'https://evil.example.net' });
    await issue({ sitekey: TEST_SITEKEY });
    expect(counted).toEqual([[property, instantOfSeconds(issuedAtSeconds) + 999]]);
  });

  test('never has the id zero, which marks the test puzzle', async () => {
    const { puzzle } = read(await open({ random: (bytes) => bytes.fill(0) })());
    expect(puzzle?.puzzleId.some((byte) => byte !== 0)).toBe(true);
  });

  test('is harder for a client that takes many, unless growth is constant', async () => {
    const steady = open();
    const rising = open({ found: { ...property, growth: 'medium' } });
    for (let i = 0; i < 50; i++) await Promise.all([steady(), rising()]);
    expect(read(await steady()).puzzle?.difficulty).toBe(1);
    expect(read(await rising()).puzzle?.difficulty).toBeGreaterThan(20);
    expect(read(await rising({ client: 2 })).puzzle?.difficulty).toBeLessThan(10);
  });
});

describe('refused', () => {
  const disabled = { ...property, isEnabled: false };
  test.each([
    ['a page without origin', {}, { origin: undefined }, 'origin-missing'],
    ['an unknown sitekey', { found: undefined }, {}, 'property-unknown'],
    ['a disabled property', { found: disabled }, {}, 'property-unknown'],
    ['the origin null', {}, { origin: 'null' }, 'origin-not-allowed'],
    ['another domain', {}, { origin: 'https://example.org' }, 'origin-not-allowed'],
    ['a subdomain that is not allowed', {}, { origin: 'https://www.example.com' }, 'origin-not-allowed'],
    ['no origin before an unknown sitekey', { found: undefined }, { origin: undefined }, 'origin-missing'],
    [
      'an unknown sitekey before a wrong origin',
      { found: undefined },
      { origin: 'null' },
      'property-unknown',
    ],
    [
      'the switched-off test property',
      { hasTestProperty: false },
      { sitekey: TEST_SITEKEY },
      'property-unknown',
    ],
  ] as const)('is %s', async (_, change, ask, problem) => {
    expect(await open(change)(ask)).toEqual({ ok: false, problem });
  });
});

test('the test puzzle is the same for every page and for none', async () => {
  const issue = open();
  const texts = [];
  for (const origin of ['https://example.com', 'https://anywhere.test', 'null', undefined]) {
    const outcome = await issue({ sitekey: TEST_SITEKEY, origin });
    expect(outcome).toMatchObject({ ok: true, value: { isTest: true } });
    texts.push(outcome.ok && outcome.value.text);
  }
  expect(new Set(texts).size).toBe(1);
});
