import type { IssuePuzzle } from '../captcha/issue.ts';
import type { LoadMeter } from '../captcha/load.ts';
import { createReplayGuard } from '../captcha/replay.ts';
import type { Decide } from '../captcha/rules/rulings.ts';
import type { VerifySolution } from '../captcha/verify.ts';
import { createRateLimit, type RateLimitState } from '../http/rateLimit.ts';
import type { Sitekey } from '../model/property.ts';
import { createIssue, createVerify } from './captcha.ts';
import type { CaptchaContext } from './captchaContext.ts';

/** Number of claims of tests, and of properties that are being tested, in memory. Tests are rare. */
const TEST_CAPACITY = 1000;

/** Rate limit on puzzles for tests of a property, because tests do not raise the difficulty. Requests per second, and burst. */
const TEST_RATE = { rate: 1, burst: 60 };

/**
 * Issues and verifies puzzles like the public routes, for tests in the portal: no rules apply, nothing is counted, and tests do not raise the
 * difficulty. Solutions are claimed, so each is accepted once.
 */
export function createVerificationTest(context: CaptchaContext): {
  readonly issue: IssuePuzzle;
  readonly verify: VerifySolution;
  readonly limit: (sitekey: Sitekey) => RateLimitState;
} {
  const { load } = context.usageRecording;
  const { clock } = context;
  const limit = createRateLimit({ ...TEST_RATE, capacity: TEST_CAPACITY, clock });
  const uncounted = { countPuzzle() {}, countVerdict() {} };
  const decide: Decide = () => undefined;
  const observe: LoadMeter['observe'] = (_, property, now) => load.peek(property, now);
  const unchanged = { observe, peek: load.peek, verified() {} };
  return {
    issue: createIssue(context, { usage: uncounted, load: unchanged, decide }),
    limit: (sitekey) => limit.take(Number.parseInt(sitekey.slice(0, 12), 16)),
    verify: createVerify(context, {
      usage: uncounted,
      load: unchanged,
      guard: createReplayGuard(context.ledger, TEST_CAPACITY),
    }),
  };
}
