import { type Done, done } from '../lib/outcome.ts';
import { type Clock, SECOND } from '../lib/time.ts';
import { DIFFICULTY, EXPIRATION, PUZZLE_SIZE, SOLUTIONS } from '../puzzle/puzzle.ts';

/** A puzzle from the server. */
export type FetchedPuzzle = {
  readonly puzzle: WidgetPuzzle;
  readonly puzzleBytes: Uint8Array;
  /** The response text, part of the payload. */
  readonly text: string;
  /** Milliseconds from now; undefined for the test puzzle, which does not expire. */
  readonly validForMs: number | undefined;
};

/** Reason why there is no puzzle. */
type ClientProblem =
  | 'policy-blocks'
  | 'service-unreachable'
  | 'service-busy'
  | 'puzzle-denied'
  | 'puzzle-malformed';

export type FetchOutcome =
  | Done<FetchedPuzzle>
  | {
      readonly ok: false;
      readonly problem: ClientProblem;
      /** The description from the server or the browser; may be empty. */
      readonly reason: string;
      /** HTTP status, if the server rejected the request. */
      readonly status?: number;
    };

export type ReadRejection = (response: Response, text: string) => Try;

/**
 * Requests a puzzle. Resolves early, with any outcome, when the signal aborts.
 *
 * @param version the newest version of puzzles that the server may send
 * @param loadReadRejection loads `readRejection`, which most visitors do not need; it may fail
 */
type FetchPuzzle = (
  endpoint: string,
  sitekey: string,
  signal: AbortSignal,
  version: PuzzleVersion,
  loadReadRejection: () => Promise<ReadRejection>,
) => Promise<FetchOutcome>;

/** 1: BLAKE2b; 2: argon2id, too; 3: all. */
export type PuzzleVersion = 1 | 2 | 3;

const TIMEOUT_MS = 10 * SECOND;
const ATTEMPTS = 4;
// The first delay is two to four times as long.
const MIN_DELAY_MS = 125;
// Minimum without the server's date, because a wrong local clock must not make a new puzzle look expired.
const MIN_VALIDITY_MS = 30 * SECOND;
// Time between the failure of a blocked request and its violation event.
const VIOLATION_DELAY_MS = 20;

/**
 * Fetches puzzles. Repeats the request after network failures and after the errors for which `readRejection` allows it, with
 * increasing random delays or after the delay of `Retry-After`. Other errors are final. No cookies are sent or stored.
 *
 * @param random returns a number from 0 inclusive to 1 exclusive
 * @param blockedBy returns the directive of the page's policy that blocked the last request to this URL, if any
 * @param isOffline whether the device has no network; the widget then does not retry
 */
export function createFetchPuzzle(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  pause: (milliseconds: number) => Promise<void>,
  random: () => number,
  now: Clock,
  blockedBy: (url: string) => string | undefined,
  isOffline: () => boolean,
): FetchPuzzle {
  async function tryFetch(
    url: string,
    outer: AbortSignal,
    loadReadRejection: () => Promise<ReadRejection>,
  ): Promise<Try> {
    const inner = new AbortController();
    // A function that the page has replaced may ignore the signal and never settle.
    const timeout = pause(TIMEOUT_MS).then(() => {
      inner.abort();
      throw new Error('timeout');
    });
    outer.addEventListener('abort', () => inner.abort());
    try {
      const response = await Promise.race([fetch(url, { ...REQUEST, signal: inner.signal }), timeout]);
      const text = await Promise.race([response.text(), timeout]);
      if (response.ok) return { outcome: read(text, response, now), mayRetry: false };
      const readRejection = await loadReadRejection();
      return readRejection(response, text);
    } catch (cause) {
      await pause(VIOLATION_DELAY_MS);
      const directive = blockedBy(url);
      const [problem, reason] = directive
        ? (['policy-blocks', `content-security-policy: ${directive} ${new URL(url).origin}`] as const)
        : (['service-unreachable', `${cause}`] as const);
      return { outcome: { ok: false, problem, reason }, mayRetry: !directive && !isOffline() };
    }
  }

  return async (endpoint, sitekey, signal, version, loadReadRejection) => {
    const url = new URL(endpoint);
    for (let attempt = 1; ; attempt++) {
      // A header would cause a preflight request. The random value prevents caches of the page's service worker from responding.
      for (const [name, value] of Object.entries({ sitekey, version, random: random() }))
        url.searchParams.set(name, `${value}`);
      const tried = await tryFetch(url.href, signal, loadReadRejection);
      if (!tried.mayRetry || attempt === ATTEMPTS) return tried.outcome;
      // Exponential backoff with a random half, so that clients do not retry simultaneously.
      await pause(tried.retryAfterMs ?? MIN_DELAY_MS * 2 ** attempt * (1 + random()));
      if (signal.aborted) return tried.outcome;
    }
  };
}

/** The result of one request. */
type Try = {
  readonly outcome: FetchOutcome;
  readonly mayRetry: boolean;
  readonly retryAfterMs?: number | undefined;
};

const REQUEST: RequestInit = {
  credentials: 'omit',
  cache: 'no-store',
  // A same-origin GET has no Origin header, so the server uses the referrer.
  referrerPolicy: 'strict-origin',
};

function read(text: string, response: Response, now: Clock): FetchOutcome {
  const [base64, signature, ...more] = text.split('.');
  const puzzleBytes = bytesOf(base64 as string);
  const puzzle = signature && !more.length && puzzleBytes && readPuzzle(puzzleBytes);
  if (!puzzle) return { ok: false, problem: 'puzzle-malformed', reason: text.slice(0, 80) };
  const expiresAt = puzzle.expiresAtSeconds * SECOND;
  const serverNow = Date.parse(response.headers.get('Date') ?? '');
  const validForMs =
    serverNow >= 0 ? Math.max(0, expiresAt - serverNow) : Math.max(MIN_VALIDITY_MS, expiresAt - now());
  return done({ puzzle, puzzleBytes, text, validForMs: expiresAt ? validForMs : undefined });
}

/** Smaller than `bytesFromBase64`; the server checks later that the encoding is canonical. */
function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** The fields of a puzzle that the widget needs. */
export type WidgetPuzzle = {
  /** The kind of work: 0 BLAKE2b, 1 argon2id, 2 HashWX. */
  readonly challengeCode: number;
  /** 0..255. */
  readonly difficulty: number;
  /** 1..255. */
  readonly solutionCount: number;
  /** Unix time; 0 for the test puzzle. */
  readonly expiresAtSeconds: number;
};

/**
 * Smaller than `parsePuzzle`, because the server parses the puzzle again.
 *
 * @param bytes must fill their buffer
 * @returns undefined if the version or the challenge is unknown, the length is not that of the version, or the number of solutions is 0
 */
export function readPuzzle(bytes: Uint8Array): WidgetPuzzle | undefined {
  const later = (bytes[0] as number) - 1;
  // Versions 2 and 3 have one more byte, the challenge.
  const shift = later && 1;
  const challengeCode = shift * (bytes[1] as number);
  const solutionCount = bytes[SOLUTIONS + shift];
  // Versions 1 and 2 have the challenges 0 and 1, and version 3 has 2.
  if (
    (later ^ challengeCode) >> 1 ||
    later + challengeCode > 4 ||
    bytes.length !== PUZZLE_SIZE + shift ||
    !solutionCount
  )
    return undefined;
  return {
    challengeCode,
    difficulty: bytes[DIFFICULTY + shift] as number,
    solutionCount,
    expiresAtSeconds: new DataView(bytes.buffer).getUint32(EXPIRATION + shift, true),
  };
}

// If the server requests a longer delay, the widget does not retry; the visitor can.
const MAX_DELAY_MS = 15 * SECOND;

/**
 * Reads the response to a request that the server rejected. After status 408, 409, 429, and 5xx, the widget may retry the request.
 * Other errors are final. A part of `extras.js`.
 *
 * @param text the body of the response
 */
export function readRejection({ status, headers }: Response, text: string): Try {
  const isTemporary = status === 408 || status === 409 || status === 429 || status >= 500;
  const reason = descriptionOf(text) ?? `HTTP ${status}`;
  const problem = isTemporary ? 'service-busy' : 'puzzle-denied';
  const retryAfterMs = retryAfterOf(headers);
  const outcome = { ok: false, problem, reason, status } as const;
  return { outcome, mayRetry: isTemporary && (retryAfterMs ?? 0) <= MAX_DELAY_MS, retryAfterMs };
}

/** @returns the description in the envelope of an error */
function descriptionOf(text: string): string | undefined {
  try {
    const description: unknown = JSON.parse(text)?.meta?.description;
    return typeof description === 'string' ? description : undefined;
  } catch {
    return undefined;
  }
}

function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return seconds >= 0 ? seconds * SECOND : undefined;
}
