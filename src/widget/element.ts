import { systemClock } from '../lib/time.ts';
import { type ClientEnding, createFetchPuzzle } from './client.ts';
import { announce, type WidgetHandle } from './events.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { createOpenHere, createOpenWorker, type LaneProgram } from './lanes.ts';
import { translate } from './languageClient.ts';
import { functionAt, type Options } from './options.ts';
import { createPool, laneCountOf } from './pool.ts';
import { createView } from './view.ts';
import { createWidget, type Misconfigured, type Widget, type WidgetEvent } from './widget.ts';

/** The bundle of `worker.ts` as a function; `bundle.ts` puts it before this text. */
declare const POSTERN_LANE: LaneProgram;

const CLASS = 'postern-captcha';
const FIELD = 'postern-captcha-solution';
const scriptUrl = (document.currentScript as HTMLScriptElement | null)?.src ?? '';
const query = new URL(scriptUrl || 'about:blank').searchParams;
const isExplicit = query.get('render') === 'explicit';
const mounts = new WeakMap<Element, Mount>();
/** Those on the page, oldest first. */
const live = new Set<Mount>();

/** A widget and its ties to the page. */
type Mount = {
  readonly handle: WidgetHandle;
  readonly expiry: Expiry;
  /** Looks whether the element is on the page, and in which form. */
  sync(): void;
};

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

/**
 * Makes a widget of one element, once; of an element that was taken from the page and put back, it wakes it up.
 * By its class the element is found when it comes back.
 */
function render(element: HTMLElement, given: Options = {}): WidgetHandle {
  const mount = mounts.get(element) ?? mountOn(element, given);
  element.classList.add(CLASS);
  observer.observe(element.getRootNode(), { childList: true, subtree: true });
  mount.sync();
  return mount.handle;
}

function mountOn(element: HTMLElement, options: Options): Mount {
  Object.assign(element.dataset, options);
  // Words for browsers without scripts; or, in a clone of a rendered element, a copy without life.
  element.textContent = '';
  const host = document.createElement('div');
  const field = document.createElement('input');
  field.type = 'hidden';
  // A reload must not bring back a solution that was used.
  field.autocomplete = 'off';
  element.dataset.postern = '';
  element.append(host, field);
  const mount = assemble(element, host, field);
  mounts.set(element, mount);
  announce(mount.handle, { kind: 'init' }, (message) => complain(element, message));
  return mount;
}

function assemble(element: HTMLElement, host: HTMLElement, field: HTMLInputElement): Mount {
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
    onEvent: tell,
    whenVisible: (run) => whenVisible(() => element.isConnected && run()),
  });
  function tell(event: WidgetEvent): void {
    if (event.kind === 'error') complain(element, `${event.problem}: ${event.reason}`);
    announce(handle, event, (message) => complain(element, message));
  }
  const nameField = () => {
    field.name = element.dataset.solutionField || FIELD;
  };
  const handle: WidgetHandle = {
    solution: () => field.value,
    reset(more = {}) {
      Object.assign(element.dataset, more);
      nameField();
      widget.close();
      tell({ kind: 'reset' });
      begin(mount);
    },
    execute: widget.start,
    element: () => element,
    state: widget.state,
  };
  const mount = tie(widget, handle, field, expiry);
  nameField();
  view.show({ kind: 'idle' });
  return mount;
}

/** Ties a widget to the page, and to whatever form its field is in. */
function tie(widget: Widget, handle: WidgetHandle, field: HTMLInputElement, expiry: Expiry): Mount {
  const syncForm = followForm(field, (event) => {
    if (event.type === 'reset') handle.reset();
    else if (handle.element().dataset.startMode !== 'click' && widget.state() === 'idle') widget.start();
  });
  const mount: Mount = {
    handle,
    expiry,
    sync() {
      syncForm();
      if (!field.isConnected) {
        if (live.delete(mount)) widget.close();
      } else if (!live.has(mount)) {
        live.add(mount);
        begin(mount);
      }
    },
  };
  return mount;
}

/** In mode `load` a widget starts by itself, once the page is in sight. */
function begin(mount: Mount): void {
  if (mount.handle.element().dataset.startMode !== 'load') return;
  whenVisible(() => {
    if (live.has(mount) && mount.handle.state() === 'idle') mount.handle.execute();
  });
}

// Typing counts too: a field may have had the focus before this script came, or keep it through a reset.
const FORM_EVENTS = ['focusin', 'input', 'reset'];

/** Listens to the form that the field is in, as long as it is in it; the returned function looks which that is. */
function followForm(field: HTMLInputElement, hear: (event: Event) => void): () => void {
  let form: HTMLFormElement | null = null;
  return () => {
    const next = field.isConnected ? field.form : null;
    if (next === form) return;
    for (const type of FORM_EVENTS) {
      form?.removeEventListener(type, hear);
      next?.addEventListener(type, hear);
    }
    form = next;
  };
}

async function askFor(element: HTMLElement, signal: AbortSignal): Promise<ClientEnding | Misconfigured> {
  const { sitekey, puzzleEndpoint = '' } = element.dataset;
  if (!sitekey) return { ok: false, problem: 'sitekey-missing', reason: 'data-sitekey is empty' };
  const endpoint = endpointOf(puzzleEndpoint);
  if (endpoint === undefined) {
    const reason = `data-puzzle-endpoint is "${puzzleEndpoint}"`;
    return { ok: false, problem: 'endpoint-malformed', reason };
  }
  return fetchPuzzle(endpoint, sitekey, signal);
}

/** The page's own choice, else `/puzzle` on the host that this script came from. */
function endpointOf(chosen: string): string | undefined {
  try {
    return (chosen ? new URL(chosen, document.baseURI) : new URL('/puzzle', scriptUrl)).href;
  } catch {
    return undefined;
  }
}

function complain(element: HTMLElement, message: string): void {
  // biome-ignore lint/suspicious/noConsole: the page asked for it with data-debug
  if (element.dataset.debug === 'true') console.error('[postern]', message);
}

function whenVisible(run: () => void): void {
  if (document.visibilityState === 'visible') run();
  else document.addEventListener('visibilitychange', () => whenVisible(run), { once: true });
}

/** Those that wait for the page's own call are left alone, until they have had it. */
function renderAll(): void {
  for (const element of document.querySelectorAll<HTMLElement>(`.${CLASS}`)) {
    if (!isExplicit || mounts.has(element)) render(element);
  }
  for (const mount of live) mount.sync();
}

function boot(): void {
  observer.observe(document, { childList: true, subtree: true });
  renderAll();
  const onload = query.get('onload');
  if (onload) functionAt(onload)?.();
}

const observer = new MutationObserver(renderAll);

// Where a page loads this script twice, the first rules.
const before = (window as { readonly postern?: { readonly render?: unknown } }).postern;
if (typeof before?.render !== 'function') {
  document.addEventListener('visibilitychange', () => {
    for (const { expiry } of live) expiry.check();
  });
  // Back from the page that the form led to: those solutions are spent.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const { handle } of live) handle.reset();
  });
  Object.assign(window, {
    postern: {
      render,
      start: (element: HTMLElement) => mounts.get(element)?.handle.execute(),
      reset: (element: HTMLElement) => mounts.get(element)?.handle.reset(),
      /** The first widget of the page. */
      get autoWidget() {
        return live.values().next().value?.handle;
      },
    },
  });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', boot);
  else boot();
}
