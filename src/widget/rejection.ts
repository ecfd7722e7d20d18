import { SECOND } from '../lib/time.ts';
import type { Try } from './client.ts';

// If the server requests a longer delay, the widget does not retry; the visitor can.
const MAX_DELAY_MS = 15 * SECOND;

/**
 * Reads the response to a request that the server rejected. After status 408, 409, 429, and 5xx, the widget may retry the request.
 * Other errors are final.
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
