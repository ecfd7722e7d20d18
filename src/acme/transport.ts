// This module does not use fetch, because fetch would use a proxy from the environment.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { reasonOf } from '../lib/log.ts';
import { SECOND } from '../lib/time.ts';
import { ACME_ERROR, AcmeFailure, describeProblem } from './problem.ts';

/** Time limit for one request. Let's Encrypt usually answers within a second. */
const REQUEST_MS = 30 * SECOND;
/** A certificate chain has a few kilobytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

export type TransportOptions = {
  /** Certificates in PEM format that are trusted instead of the public CAs. */
  readonly ca: string | undefined;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
};

export type TransportRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

export type TransportResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Sends requests to an ACME server. */
export type Transport = {
  /** @throws AcmeFailure if there is no response, or if it is an error other than `badNonce`, which the client retries */
  readonly send: (request: TransportRequest) => Promise<TransportResponse>;
  /** The pause before the next request that the last response asked for, in milliseconds; 0 if it asked for none. */
  readonly retryAfterMs: () => number;
};

/** Creates a transport that does not follow redirects and does not use a proxy. */
export function createTransport({ ca, signal }: TransportOptions): Transport {
  let lastRetryAfterMs = 0;

  async function send(request: TransportRequest): Promise<TransportResponse> {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
    const response = await exchange(request, ca, limits).catch((error: unknown) => {
      const { host } = new URL(request.url);
      if (limits.aborted) throw new AcmeFailure('timeout', `${host} did not respond in time`);
      throw new AcmeFailure('connection', `${host}: ${reasonOf(error)}`);
    });
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
    lastRetryAfterMs = retryAfterMs ?? 0;
    if (response.status >= 300) throwProblem(request, response, retryAfterMs);
    return response;
  }

  return { send, retryAfterMs: () => lastRetryAfterMs };
}

function throwProblem({ url }: TransportRequest, { status, body }: TransportResponse, retryAfterMs?: number) {
  const { type, detail } = describeProblem(parseJson(body), `${url} returned status ${status}`);
  if (type === `${ACME_ERROR}badNonce`) return;
  throw new AcmeFailure(type === 'about:blank' ? `http-${status}` : type, detail, retryAfterMs);
}

async function exchange(
  { url, method, headers, body }: TransportRequest,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const options = { method, headers, signal, ...(ca === undefined ? {} : { ca }) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
    request.on('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
  const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(entries),
    body: await readText(response),
  };
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_RESPONSE_BYTES)
      throw new Error(`the response is longer than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): seconds or a date.
 *
 * @returns milliseconds, at least 0; undefined if the header is missing or invalid
 */
function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
