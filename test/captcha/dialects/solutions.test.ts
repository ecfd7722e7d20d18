import { describe, expect, test } from 'bun:test';
import { type AltchaDeps, toAltcha1 } from '../../../src/captcha/dialects/altcha.ts';
import { parseAltchaSolution } from '../../../src/captcha/dialects/altchaSolution.ts';
import { capShapeOf, parseCapSolution, solvesCap } from '../../../src/captcha/dialects/cap.ts';
import { toSignedText } from '../../../src/captcha/dialects/signedText.ts';
import { createWorkCheck } from '../../../src/captcha/dialects/workCheck.ts';
import { createKeyRing } from '../../../src/captcha/signature.ts';
import { createIssuePlaygroundPuzzle, testPuzzleText } from '../../../src/captcha/unsignedPuzzles.ts';
import { done, reject } from '../../../src/lib/outcome.ts';
import { instantFromSeconds } from '../../../src/lib/time.ts';
import { solveCap } from '../../support/capSolver.ts';
import { hmac, signingKey, sitekey } from '../fakes.ts';

/** Tests the formats of other products without a server; `test/http/dialects` tests them with requests. */

const clock = () => instantFromSeconds(1_800_000_000);
const issue = createIssuePlaygroundPuzzle({ clock, random: (bytes) => bytes.fill(7) });
const signed = toSignedText(issue({ sitekey, level: 40, challenge: 'blake2b', version: 1 }));

describe('a challenge of Cap', () => {
  test.each([
    [0, 1, 1],
    [31, 15, 1],
    [32, 16, 1],
    [35, 21, 1],
    [63, 235, 1],
    [64, 16, 2],
    [100, 23, 3],
    [255, 235, 7],
  ])('of difficulty %d has %d sub-challenges with %d digits', (difficulty, c, d) => {
    expect(capShapeOf(difficulty)).toEqual({ c, s: 32, d });
  });

  test('follows the scale of BLAKE2b to within 3 percent from difficulty 32 on, with at most 235 sub-challenges', () => {
    for (let difficulty = 0; difficulty <= 255; difficulty++) {
      const { c, d } = capShapeOf(difficulty);
      expect(c).toBeWithin(1, 236);
      expect(d).toBeWithin(1, 8);
      const ratio = (c * 16 ** d) / (16 * 2 ** (difficulty / 8));
      if (difficulty >= 32) expect(Math.abs(ratio - 1)).toBeLessThan(0.03);
    }
  });
});

describe('a solution of Cap', () => {
  const solutions = Array.from({ length: capShapeOf(40).c }, (_, at) => at);
  const token = signed.text;

  test('has a token and as many numbers as the challenge', () => {
    expect(parseCapSolution({ token, solutions, took: 1 })).toEqual({ signed, solutions });
  });

  test('is wrong if one of its numbers is wrong', () => {
    const solved = solveCap({ token, challenge: capShapeOf(40) });
    expect(solvesCap({ signed, solutions: solved })).toBe(true);
    // Each is the least number that solves its sub-challenge.
    for (const [at, number] of solved.entries())
      for (let smaller = 0; smaller < number; smaller++)
        expect(solvesCap({ signed, solutions: solved.with(at, smaller) })).toBe(false);
  });

  test.each([
    ['null', null],
    ['a text', token],
    ['an array', [token, solutions]],
    ['an object without a token', { solutions }],
    ['an object without numbers', { token }],
    ['an object with a text in place of the numbers', { token, solutions: '0'.repeat(solutions.length) }],
    [
      'an object with another object in place of the numbers',
      { token, solutions: { ...solutions, length: 32 } },
    ],
  ])('is not %s', (_, value) => {
    expect(parseCapSolution(value)).toBeUndefined();
  });
});

describe('a solution of ALTCHA', () => {
  const deps: AltchaDeps = { hmac, offlineSecretOf: (key, rotations) => `${key} ${rotations}` };
  const key = new Uint8Array(32).fill(1);
  const { challenge, number } = toAltcha1(deps, key, signed, { rotations: 2 });

  test('of version 1 contains the signed puzzle in its salt', () => {
    const solution = parseAltchaSolution({ ...challenge, number });
    expect(solution).toMatchObject({ signed, rotations: 2 });
    expect(solution?.isSolved(deps, key)).toBe(true);
    expect(solution?.isSolved(deps, new Uint8Array(32))).toBe(false);
  });

  test.each([
    ['before', (salt: string) => `0${salt}`],
    ['after', (salt: string) => `${salt}0`],
  ])('is invalid with a character %s the salt', (_, change) => {
    expect(parseAltchaSolution({ ...challenge, salt: change(challenge.salt), number })).toBeUndefined();
  });
});

describe("the test property's puzzle", () => {
  const puzzle = toSignedText(testPuzzleText());
  const checkWith = (hasTestProperty: boolean) => {
    const { check } = createWorkCheck({
      keyRing: () => createKeyRing([signingKey(1)]),
      hmac,
      clock,
      hasTestProperty,
    });
    return check(puzzle, () => false);
  };

  test('needs no work, never expires, and belongs to no page', () => {
    const origin = { host: '', issuedAtSeconds: 0, secret: new Uint8Array(32), isTest: true };
    expect(checkWith(true)).toEqual(done(origin));
  });

  test('is invalid without the test property', () => {
    expect(checkWith(false)).toEqual(reject('integrity-error'));
  });
});
