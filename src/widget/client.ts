import { type Done, done } from '../lib/outcome.ts';
import { type Clock, SECOND } from '../lib/time.ts';
import { type Puzzle, parsePuzzle } from '../puzzle/puzzle.ts';

/** A puzzle as it came. */
export type FetchedPuzzle = {
  readonly puzzle: Puzzle;
  readonly puzzleBytes: Uint8Array;
  /** What the server answered, to be passed back unchanged. */
  readonly text: string;
  /** Milliseconds from now; undefined for the test puzzle, which never expires. */
  readonly validForMs: number | undefined;
};

/** Why there is no puzzle. */
type ClientProblem =
  | 'policy-blocks'
  | 'service-unreachable'
  | 'service-busy'
  | 'puzzle-refused'
  | 'puzzle-malformed';

export type ClientEnding =
  | Done<FetchedPuzzle>
  | {
      readonly ok: false;
      readonly problem: ClientProblem;
      /** The server's sentence, or the browser's; may be empty. */
      readonly reason: string;
    };

export type ClientDeps = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Resolves after so many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly now: Clock;
  /** The directive of the page's policy that forbade the last request to this address, if one did. */
  readonly forbiddenBy: (url: string) => string | undefined;
};

/** Asks for a puzzle; ends early, in whatever way, when the signal aborts. */
export type FetchPuzzle = (endpoint: string, sitekey: string, signal: AbortSignal) => Promise<ClientEnding>;

const TIMEOUT_MS = 10 * SECOND;
const ATTEMPTS = 4;
const FIRST_DELAY_MS = 500;
// A server that asks for more patience than this is asked again by the visitor.
const LONGEST_DELAY_MS = 15 * SECOND;
// With a clock that is wrong a fresh puzzle may look old. No shorter validity is believed without the server's date.
const LEAST_VALIDITY_MS = 30 * SECOND;
// That a policy forbade a request is told a moment after the request has failed.
const VIOLATION_DELAY_MS = 20;

/**
 * Fetches puzzles. 408, 409, 429, 5xx and network failures are tried again with growing, jittered delays, or after
 * what `Retry-After` says; other refusals are final. No cookie is sent or kept.
 */
export function createFetchPuzzle(deps: ClientDeps): FetchPuzzle {
  return async (endpoint, sitekey, signal) => {
    const url = new URL(endpoint);
    url.searchParams.set('sitekey', sitekey);
    for (let attempt = 1; ; attempt++) {
      const tried = await tryOnce(deps, url.href, signal);
      if (!tried.mayRetry || attempt === ATTEMPTS) return tried.ending;
      await deps.pause(tried.retryAfterMs ?? delayOf(attempt, deps.random()));
      if (signal.aborted) return tried.ending;
    }
  };
}

type Try = {
  readonly ending: ClientEnding;
  readonly mayRetry: boolean;
  readonly retryAfterMs?: number | undefined;
};

async function tryOnce(deps: ClientDeps, url: string, outer: AbortSignal): Promise<Try> {
  const inner = new AbortController();
  const abort = () => inner.abort();
  outer.addEventListener('abort', abort);
  deps.pause(TIMEOUT_MS).then(abort, abort);
  try {
    const response = await deps.fetch(url, { ...REQUEST, signal: inner.signal });
    const text = await response.text();
    return response.ok
      ? { ending: read(text, response, deps.now), mayRetry: false }
      : refusalOf(response, text);
  } catch (cause) {
    await deps.pause(VIOLATION_DELAY_MS);
    const directive = deps.forbiddenBy(url);
    if (directive !== undefined) return forbidden(directive, url);
    return { ending: { ok: false, problem: 'service-unreachable', reason: String(cause) }, mayRetry: true };
  } finally {
    outer.removeEventListener('abort', abort);
  }
}

function forbidden(directive: string, url: string): Try {
  const reason = `content-security-policy: ${directive} ${new URL(url).origin}`;
  return { ending: { ok: false, problem: 'policy-blocks', reason }, mayRetry: false };
}

const REQUEST: RequestInit = {
  mode: 'cors',
  credentials: 'omit',
  cache: 'no-store',
  // A same-origin GET carries no Origin header; then the server goes by the referrer.
  referrerPolicy: 'strict-origin',
  headers: { 'X-PC-Captcha-Version': '1' },
};

function read(text: string, response: Response, now: Clock): ClientEnding {
  const [puzzleText = '', signature, ...more] = text.split('.');
  const puzzleBytes = bytesOf(puzzleText);
  const puzzle = puzzleBytes && parsePuzzle(puzzleBytes);
  if (!puzzle || !puzzleBytes || !signature || more.length > 0) {
    return { ok: false, problem: 'puzzle-malformed', reason: text.slice(0, 80) };
  }
  const validForMs = validityOf(puzzle.expiresAtSeconds, response.headers.get('Date'), now);
  return done({ puzzle, puzzleBytes, text, validForMs });
}

/** Smaller than the house's own reader, which also refuses what is not canonical: Postern looks at it again. */
function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function validityOf(expiresAtSeconds: number, date: string | null, now: Clock): number | undefined {
  if (expiresAtSeconds === 0) return undefined;
  const expiresAt = expiresAtSeconds * SECOND;
  const serverNow = date === null ? Number.NaN : Date.parse(date);
  if (!Number.isNaN(serverNow)) return Math.max(0, expiresAt - serverNow);
  return Math.max(LEAST_VALIDITY_MS, expiresAt - now());
}

function refusalOf(response: Response, text: string): Try {
  const { status } = response;
  const mayRetry = status === 408 || status === 409 || status === 429 || status >= 500;
  const reason = sentenceOf(text) ?? `HTTP ${status}`;
  const problem = mayRetry ? 'service-busy' : 'puzzle-refused';
  const retryAfterMs = retryAfterOf(response);
  const isTooLong = retryAfterMs !== undefined && retryAfterMs > LONGEST_DELAY_MS;
  return { ending: { ok: false, problem, reason }, mayRetry: mayRetry && !isTooLong, retryAfterMs };
}

/** The sentence in the envelope of a refusal. */
function sentenceOf(text: string): string | undefined {
  try {
    const sentence: unknown = JSON.parse(text)?.meta?.description;
    return typeof sentence === 'string' ? sentence : undefined;
  } catch {
    return undefined;
  }
}

function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return seconds >= 0 ? seconds * SECOND : undefined;
}

/** Doubling, with the upper half left to chance so that a crowd does not come back at once. */
function delayOf(attempt: number, chance: number): number {
  const delay = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
  return delay * (0.5 + chance / 2);
}
