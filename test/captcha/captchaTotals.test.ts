import { expect, test } from 'bun:test';
import { createCaptchaTotals, sumTotals } from '../../src/captcha/captchaTotals.ts';
import type { UsageCounter } from '../../src/captcha/usage.ts';
import { VERDICT_CODES, type Verdict, type VerdictName } from '../../src/captcha/verdict.ts';
import type { Instant } from '../../src/lib/time.ts';
import { property } from './fakes.ts';

const NOW = Date.UTC(2026, 0, 31) as Instant;
const METADATA = { errorCode: 0, usedWasm: false, elapsedMs: 1 };

function verdict(name: VerdictName, success: boolean): Verdict {
  return {
    success,
    name,
    origin: '',
    verifiedAt: NOW,
    issuedAt: undefined,
    isUnavailable: false,
    pageData: {},
  };
}

/** Totals that forward to a list. */
function open() {
  const forwarded: unknown[][] = [];
  const next: UsageCounter = {
    countPuzzle: (...args) => void forwarded.push(args),
    countVerdict: (...args) => void forwarded.push(args),
  };
  return { totals: createCaptchaTotals(next), forwarded };
}

const countsIn = (counts: ArrayLike<number>) =>
  Object.fromEntries(Array.from(counts).flatMap((count, code) => (count === 0 ? [] : [[code, count]])));

test('puzzles and verdicts are counted by code and result, and forwarded', () => {
  const { totals, forwarded } = open();
  const [first, repeated, again] = [
    verdict('no-error', true),
    verdict('solution-verified-before', true),
    verdict('solution-verified-before', false),
  ];
  for (let n = 0; n < 3; n++) totals.countPuzzle(property, NOW, n === 0);
  for (const one of [first, repeated, again, again]) totals.countVerdict(one, property, METADATA);
  const { puzzles, downgraded, accepted, rejected } = totals.read();
  const code = VERDICT_CODES['solution-verified-before'];
  expect([puzzles, downgraded]).toEqual([3, 1]);
  expect(countsIn(accepted)).toEqual({ 0: 1, [code]: 1 });
  expect(countsIn(rejected)).toEqual({ [code]: 2 });
  expect(forwarded.slice(2, 5)).toEqual([
    [property, NOW],
    [first, property, METADATA],
    [repeated, property, METADATA],
  ]);
});

test('the totals of all threads are their sums', () => {
  const [one, other] = [open().totals, open().totals];
  one.countPuzzle(property, NOW, true);
  for (let n = 0; n < 2; n++) other.countPuzzle(property, NOW, n === 0);
  one.countVerdict(verdict('no-error', true), property);
  other.countVerdict(verdict('no-error', true), property);
  other.countVerdict(verdict('org-scope-error', false), property);
  const { puzzles, downgraded, accepted, rejected } = sumTotals([one.read(), other.read()]);
  expect([puzzles, downgraded, countsIn(accepted), countsIn(rejected)]).toEqual([3, 2, { 0: 2 }, { 12: 1 }]);
  // A thread of an older version may have fewer codes.
  const older = { puzzles: 1, downgraded: 0, accepted: [4], rejected: [] };
  expect(countsIn(sumTotals([older, one.read()]).accepted)).toEqual({ 0: 5 });
});
