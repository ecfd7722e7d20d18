import { systemClock } from '../lib/time.ts';
import { endpointOf, loadExtras } from './buildFiles.ts';
import { createFetchPuzzle, type FetchOutcome } from './client.ts';
import { log } from './console.ts';
import { pause } from './timers.ts';
import type { Misconfigured } from './widget.ts';

const fetchPuzzle = createFetchPuzzle(
  (url, init) => fetch(url, init),
  pause,
  Math.random,
  systemClock,
  watchPolicy(),
  // Pages can remove the property.
  () => navigator.onLine === false,
);

/**
 * Requests a puzzle with the sitekey and from the endpoint of the element's attributes.
 *
 * @param failure the reason why a puzzle could not be solved; then the response is a BLAKE2b puzzle
 * @param hasWorkers whether the widget can solve HashWX puzzles
 */
export async function requestPuzzle(
  element: HTMLElement,
  signal: AbortSignal,
  failure: string,
  hasWorkers: boolean,
): Promise<FetchOutcome | Misconfigured> {
  if (failure) log(`solver: ${failure}`);
  const { sitekey, puzzleEndpoint } = element.dataset;
  const endpoint = endpointOf(element);
  const loadReadRejection = async () => (await loadExtras(element)).readRejection;
  const version = failure ? 1 : hasWorkers ? 3 : 2;
  if (sitekey && endpoint) return fetchPuzzle(endpoint, sitekey, signal, version, loadReadRejection);
  // The page may restart the widget after the error; the pause lets other work run.
  await pause(100);
  return sitekey
    ? { ok: false, problem: 'endpoint-malformed', reason: `data-puzzle-endpoint: ${puzzleEndpoint}` }
    : { ok: false, problem: 'sitekey-missing', reason: 'no data-sitekey' };
}

/**
 * Records requests that the page's content security policy blocks.
 *
 * @returns a function that returns the directive that blocked a URL, if any; the event arrives shortly after the request has failed
 */
function watchPolicy(): (url: string) => string | undefined {
  const blocked = new Map<string, string>();
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective, disposition }) => {
    if (disposition !== 'report') blocked.set(blockedURI, effectiveDirective);
  });
  return (url) => blocked.get(url);
}
