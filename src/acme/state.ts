import { isCount } from '../lib/json.ts';
import { type Instant, instantFromIso, later, MINUTE, toIso } from '../lib/time.ts';

/** The attempts since the last certificate. The server stores them, so that frequent restarts do not overload the CA. */
export type AcmeState = {
  /** The domains of the last attempt; attempts for other domains do not count. */
  readonly domains: readonly string[];
  /** The number of consecutive failed attempts. */
  readonly failures: number;
  readonly attemptedAt: Instant;
  readonly nextAttemptAt: Instant;
  /** The type and the detail of the last problem. */
  readonly problem: string;
  readonly detail: string;
};

export function formatState({
  domains,
  failures,
  attemptedAt,
  nextAttemptAt,
  problem,
  detail,
}: AcmeState): string {
  const times = { attempted_at: toIso(attemptedAt), next_attempt: toIso(nextAttemptAt) };
  return `${JSON.stringify({ domains, failures, ...times, problem, detail }, null, 2)}\n`;
}

/** Reads a stored state. If the clock has been set back since, the pause keeps its length. @returns undefined if the text is invalid */
export function parseState(text: string, now: Instant): AcmeState | undefined {
  const value = parseObject(text);
  const { domains, failures, problem, detail } = value;
  const attemptedAt = parseInstant(value.attempted_at);
  const nextAttemptAt = parseInstant(value.next_attempt);
  if (!isTexts(domains) || !isCount(failures) || typeof problem !== 'string' || typeof detail !== 'string')
    return undefined;
  if (attemptedAt === undefined || nextAttemptAt === undefined) return undefined;
  const state = { domains, failures, problem, detail };
  if (attemptedAt <= now + MINUTE) return { ...state, attemptedAt, nextAttemptAt };
  return { ...state, attemptedAt: now, nextAttemptAt: later(now, Math.max(0, nextAttemptAt - attemptedAt)) };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function parseInstant(value: unknown): Instant | undefined {
  return typeof value === 'string' ? instantFromIso(value) : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
