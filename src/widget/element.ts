import { systemClock } from '../lib/time.ts';
import { type ClientEnding, createFetchPuzzle } from './client.ts';
import { createExpiry } from './expiry.ts';
import { createOpenHere, createOpenWorker, type LaneProgram } from './lanes.ts';
import { translate } from './languageClient.ts';
import { createPool, laneCountOf } from './pool.ts';
import { createView } from './view.ts';
import { createWidget, type Misconfigured, type Widget } from './widget.ts';

/** The bundle of `worker.ts` as a function; `bundle.ts` puts it before this text. */
declare const POSTERN_LANE: LaneProgram;

const CLASS = 'postern-captcha';
const FIELD = 'postern-captcha-solution';
const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src ?? '';
const widgets = new WeakMap<Element, Widget>();

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const later = (milliseconds: number, run: () => void) => setTimeout(run, milliseconds);

const fetchPuzzle = createFetchPuzzle({
  fetch: (url, init) => fetch(url, init),
  pause,
  random: Math.random,
  now: systemClock,
});

function openPool() {
  return createPool({
    openWorker: createOpenWorker(POSTERN_LANE),
    openHere: createOpenHere(POSTERN_LANE),
    laneCount: laneCountOf(navigator.hardwareConcurrency),
    later,
  });
}

/** Makes a widget of one element; once, even where a page loads this script twice. */
function render(element: HTMLElement): void {
  if (element.dataset.postern !== undefined) return;
  element.dataset.postern = '';
  const host = document.createElement('div');
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = element.dataset.solutionField || FIELD;
  // A reload must not bring back a solution that was used.
  field.autocomplete = 'off';
  element.append(host, field);
  const widget = assemble(element, host, field);
  widgets.set(element, widget);
  field.form?.addEventListener('reset', widget.reset);
  // Back from the page that the form led to: that solution is spent.
  window.addEventListener('pageshow', (event) => event.persisted && widget.reset());
}

function assemble(element: HTMLElement, host: HTMLElement, field: HTMLInputElement): Widget {
  const expiry = createExpiry({
    now: systemClock,
    setTimer: (ms, run) => later(ms, run),
    clearTimer: (timer) => clearTimeout(timer),
  });
  const view = createView(host, () => widget.start());
  translate(element, scriptUrl, view.speak);
  const widget = createWidget({
    fetchPuzzle: (signal) => askFor(element, signal),
    openPool,
    expiry,
    now: systemClock,
    show: view.show,
    submit: (payload) => {
      field.value = payload;
    },
    onFinished: (payload) => callBack(element, payload),
    onProblem: (problem, reason) => complain(element, `${problem}: ${reason}`),
    whenVisible: (run) => whenVisible(() => element.isConnected && run()),
  });
  document.addEventListener('visibilitychange', expiry.check);
  view.show({ kind: 'idle' });
  return widget;
}

async function askFor(element: HTMLElement, signal: AbortSignal): Promise<ClientEnding | Misconfigured> {
  const { sitekey, puzzleEndpoint } = element.dataset;
  if (!sitekey) return { ok: false, problem: 'sitekey-missing', reason: 'data-sitekey is empty' };
  const endpoint = endpointOf(puzzleEndpoint);
  if (endpoint === undefined) {
    const reason = `data-puzzle-endpoint is "${puzzleEndpoint ?? ''}"`;
    return { ok: false, problem: 'endpoint-malformed', reason };
  }
  return fetchPuzzle(endpoint, sitekey, signal);
}

/** The page's own choice, else `/puzzle` on the host that this script came from. */
function endpointOf(chosen: string | undefined): string | undefined {
  try {
    return (chosen ? new URL(chosen, document.baseURI) : new URL('/puzzle', scriptUrl)).href;
  } catch {
    return undefined;
  }
}

/** Calls the page's function, named by a path from `window`; what it throws is the page's own error. */
function callBack(element: HTMLElement, payload: string): void {
  const path = element.dataset.finishedCallback;
  if (!path) return;
  let owner: unknown;
  let found: unknown = window;
  for (const step of path.split('.')) {
    owner = found;
    found = (found as { readonly [name: string]: unknown } | undefined | null)?.[step];
  }
  if (typeof found === 'function') setTimeout(() => found.call(owner, payload, element), 0);
  else complain(element, `data-finished-callback: no function "${path}"`);
}

function complain(element: HTMLElement, message: string): void {
  // biome-ignore lint/suspicious/noConsole: the page asked for it with data-debug
  if (element.dataset.debug === 'true') console.error('[postern]', message);
}

function whenVisible(run: () => void): void {
  if (document.visibilityState === 'visible') run();
  else document.addEventListener('visibilitychange', () => whenVisible(run), { once: true });
}

function renderAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(`.${CLASS}`)) render(element);
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', renderAll);
else renderAll();

/** For pages that add a widget later, or submit without leaving. */
Object.assign(window, {
  postern: {
    render,
    start: (element: HTMLElement) => widgets.get(element)?.start(),
    reset: (element: HTMLElement) => widgets.get(element)?.reset(),
  },
});
