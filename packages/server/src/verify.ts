/** How to reach the Postern server. */
export interface VerifyOptions {
  /** The URL of the Postern server, such as `https://captcha.example.com`. */
  readonly server: string;
  /** A key with the `verify` scope. */
  readonly apiKey: string;
  /** The sitekey of the form; solutions for other properties are rejected. */
  readonly sitekey: string;
  /** The time limit of each attempt in milliseconds, 1 to 60,000; 5,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** The number of attempts after the first, 0 to 5; 1 by default. */
  readonly retries?: number | undefined;
  /** Ends the verification early. The result is then `undecided`. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces `fetch`, for example to use a proxy. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** The result of a verification. */
export type Verdict =
  | {
      readonly outcome: 'accepted';
      /** 0; or 8, 9, 10 if the server's settings permit a repeat, maintenance, or the test property. */
      readonly code: number;
      /** The host of the page on which the puzzle was solved; empty if it is unknown. */
      readonly origin: string;
      /** The time of the verification (ISO 8601). */
      readonly timestamp: string;
    }
  | {
      readonly outcome: 'rejected';
      /** The code of the reason (https://captcha.example.com/docs/reference/api); 1 if the server rejected the API key. */
      readonly code: number;
      /** The HTTP status; 0 if the solution was not sent, because it is too long. */
      readonly status: number;
    }
  | {
      /** The server did not decide. */
      readonly outcome: 'undecided';
      /** The last problem: an exception of `fetch`, or a status. */
      readonly cause: unknown;
    };

/** Characters. A genuine solution has about 320. The server closes the connection if a body is too long, which looks like an outage. */
const MAX_SOLUTION_LENGTH = 10_000;

const TIMEOUT_MS = 5000;
const FIRST_DELAY_MS = 1000;

/** A visitor waits for the form, so a server that asks for a longer pause is not asked again. */
const MAX_DELAY_MS = 10_000;

const FORMAT_CODE = 4;

type Attempt = { readonly verdict: Verdict } | { readonly cause: unknown; readonly delayMs: number };

/**
 * Verifies a solution. Retries after a network error, a timeout, or status 429 or 5xx. Before each retry, it waits for the time in
 * `Retry-After`, or otherwise for a second, which doubles with each attempt. A repeated request is safe: the server never
 * accepts a solution more often than the property permits.
 *
 * @param solution the content of the form's hidden field
 * @throws RangeError (rejects) if an option is invalid. Failures of the network or the server are the outcome `undecided`
 */
export async function verify(solution: string, options: VerifyOptions): Promise<Verdict> {
  const { retries = 1 } = options;
  const url = checkedUrl(options);
  if (solution === '') return { outcome: 'rejected', code: FORMAT_CODE, status: 0 };
  if (solution.length > MAX_SOLUTION_LENGTH) return { outcome: 'rejected', code: FORMAT_CODE, status: 0 };
  for (let retry = 0; ; retry++) {
    const attempt = await verifyOnce(url, solution, options, FIRST_DELAY_MS * 2 ** retry);
    if ('verdict' in attempt) return attempt.verdict;
    const { cause, delayMs } = attempt;
    if (retry >= retries || delayMs > MAX_DELAY_MS || options.signal?.aborted)
      return { outcome: 'undecided', cause };
    await pause(delayMs, options.signal);
  }
}

/** @throws RangeError */
function checkedUrl({ server, apiKey, sitekey, timeoutMs = TIMEOUT_MS, retries = 1 }: VerifyOptions): string {
  if (!apiKey) throw new RangeError('apiKey is missing');
  if (!sitekey) throw new RangeError('sitekey is missing');
  if (!(timeoutMs >= 1 && timeoutMs <= 60_000)) throw new RangeError('timeoutMs must be 1 to 60000');
  if (![0, 1, 2, 3, 4, 5].includes(retries)) throw new RangeError('retries must be 0 to 5');
  if (!URL.canParse('/verify', server)) throw new RangeError(`server is not a URL: ${server}`);
  return new URL('/verify', server).href;
}

async function verifyOnce(
  url: string,
  solution: string,
  { apiKey, sitekey, timeoutMs = TIMEOUT_MS, signal, fetch: send = fetch }: VerifyOptions,
  delayMs: number,
): Promise<Attempt> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'X-PC-Sitekey': sitekey, 'Content-Type': 'text/plain' },
      body: solution,
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const { status } = response;
    const body: unknown = await response.json().catch(() => undefined);
    if (status === 429 || status >= 500) {
      return { cause: new Error(`status ${status}`), delayMs: retryAfterMs(response.headers) ?? delayMs };
    }
    return toAttempt(status, body, delayMs);
  } catch (cause) {
    return { cause, delayMs };
  }
}

/** @param body parsed JSON; undefined if it is not JSON, for example because a proxy sent it */
function toAttempt(status: number, body: unknown, delayMs: number): Attempt {
  const { success, code, origin, timestamp } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (status !== 200) {
    return { verdict: { outcome: 'rejected', code: typeof code === 'number' ? code : 1, status } };
  }
  if (typeof success !== 'boolean' || typeof code !== 'number') {
    return { cause: new Error('the response is not a verdict'), delayMs };
  }
  if (!success) return { verdict: { outcome: 'rejected', code, status } };
  return {
    verdict: { outcome: 'accepted', code, origin: String(origin ?? ''), timestamp: String(timestamp ?? '') },
  };
}

/** @returns the time in `Retry-After`; undefined if it is missing or not a number of seconds */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

/** Ends early if the signal is aborted. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    signal?.addEventListener('abort', finish);
  });
}
