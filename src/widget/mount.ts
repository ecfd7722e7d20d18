import { systemClock } from '../lib/time.ts';
import { type ClientEnding, createFetchPuzzle } from './client.ts';
import { announce, type WidgetHandle } from './events.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { fetchKernel } from './kernelClient.ts';
import { createOpenHere, createOpenWorker, type LaneProgram } from './lanes.ts';
import { translate } from './languageClient.ts';
import { choiceOf, type Options, writeOptions } from './options.ts';
import { watchPolicy } from './policy.ts';
import { createPool, laneCountOf } from './pool.ts';
import { createSight, type Sight } from './sight.ts';
import { createView, type View } from './view.ts';
import { createWidget, type Misconfigured, type Widget, type WidgetEvent } from './widget.ts';

/** The bundle of `worker.ts` as a function; `bundle.ts` puts it before this text. */
declare const POSTERN_LANE: LaneProgram;

const FIELD = 'postern-captcha-solution';
/** With or without the hash that follows. */
const OWN_PATH = '/widget/postern.';

/** Where this script came from; empty where it is not known, as in a bundle of the page's own. */
export const scriptUrl = ownUrl();

/** Modules do not know the element that loaded them. */
function ownUrl(): string {
  const script = document.currentScript ?? document.querySelector(`script[src*="${OWN_PATH}"]`);
  return (script as HTMLScriptElement | null)?.src ?? '';
}

/** A widget and its ties to the page. */
export type Mount = {
  readonly handle: WidgetHandle;
  readonly expiry: Expiry;
  /** Tells the page that it is there. */
  greet(): void;
  /** Looks whether the element is on the page, and in which form. */
  sync(): void;
};

const later = (milliseconds: number, run: () => void) => setTimeout(run, milliseconds);

const fetchPuzzle = createFetchPuzzle({
  fetch: (url, init) => fetch(url, init),
  pause: (milliseconds) => new Promise<void>((resolve) => later(milliseconds, resolve)),
  random: Math.random,
  now: systemClock,
  forbiddenBy: watchPolicy(),
});

function openPool() {
  const { hardwareConcurrency, deviceMemory } = navigator as { deviceMemory?: number } & Navigator;
  const ways = [createOpenWorker(POSTERN_LANE), createOpenHere(POSTERN_LANE)];
  // A worker from a file goes by the file's policy, not by the page's. A bundle of the page's own is no such file.
  const isOurs = scriptUrl.startsWith(`${location.origin}/`) && scriptUrl.includes(OWN_PATH);
  if (isOurs) ways.unshift(createOpenWorker(scriptUrl));
  return createPool({
    ways,
    laneCount: laneCountOf(hardwareConcurrency, deviceMemory),
    kernel: fetchKernel(scriptUrl, later),
    later,
  });
}

/**
 * Makes a widget of the element.
 *
 * @param live where it is listed while it is on the page
 */
export function mountOn(element: HTMLElement, options: Options, live: Set<Mount>): Mount {
  writeOptions(element, options);
  // Words for browsers without scripts; or, in a clone of a rendered element, a copy without life.
  element.textContent = '';
  const host = document.createElement('div');
  const field = document.createElement('input');
  field.type = 'hidden';
  // A reload must not bring back a solution that was used.
  field.autocomplete = 'off';
  element.dataset.postern = '';
  element.append(host, field);
  return assemble(element, host, field, live);
}

function assemble(element: HTMLElement, host: HTMLElement, field: HTMLInputElement, live: Set<Mount>): Mount {
  const expiry = createExpiry({
    now: systemClock,
    setTimer: later,
    clearTimer: (timer) => clearTimeout(timer),
  });
  const view = createView(host, () => widget.start());
  const sight = createSight(() => {
    if (widget.state() !== 'solving') return;
    widget.close();
    tell({ kind: 'reset' });
    sight.whenSeen(widget.start);
  });
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
    whenVisible: sight.whenSeen,
  });
  function tell(event: WidgetEvent): void {
    if (event.kind === 'error') complain(element, `${event.problem}: ${event.reason}`);
    announce(handle, event, (message) => complain(element, message));
  }
  let lang: string | undefined;
  function speak(): void {
    lang = element.dataset.lang;
    translate(element, scriptUrl, view.speak);
  }
  const handle: WidgetHandle = {
    solution: () => field.value,
    reset(more = {}) {
      writeOptions(element, more);
      sight.forget();
      dress(handle, view, field);
      if (element.dataset.lang !== lang) speak();
      widget.close();
      tell({ kind: 'reset' });
      begin(handle, sight);
    },
    execute: widget.start,
    element: () => element,
    state: widget.state,
  };
  dress(handle, view, field);
  speak();
  view.show({ kind: 'idle' });
  return tie({ widget, handle, field, expiry, sight, live });
}

/** Goes by what the element's attributes say now. */
function dress(handle: WidgetHandle, view: View, field: HTMLInputElement): void {
  const element = handle.element();
  const { solutionField, storeVariable, styles = '' } = element.dataset;
  const say = (message: string) => complain(element, message);
  field.name = solutionField || FIELD;
  // Whatever the name is: an assignment would fail for some.
  if (storeVariable) Object.defineProperty(element, storeVariable, { value: handle, configurable: true });
  choiceOf(element, 'startMode', say);
  view.dress({ mode: choiceOf(element, 'displayMode', say), theme: choiceOf(element, 'theme', say), styles });
}

type Ties = {
  readonly widget: Widget;
  readonly handle: WidgetHandle;
  readonly field: HTMLInputElement;
  readonly expiry: Expiry;
  readonly sight: Sight;
  readonly live: Set<Mount>;
};

/** Ties a widget to the page, and to whatever form its field is in. */
function tie({ widget, handle, field, expiry, sight, live }: Ties): Mount {
  const element = handle.element();
  const syncForm = followForm(field, (event) => {
    if (event.type === 'reset') handle.reset();
    else if (choiceOf(element, 'startMode') !== 'click' && widget.state() === 'idle') widget.start();
  });
  const mount: Mount = {
    handle,
    expiry,
    greet: () => announce(handle, { kind: 'init' }, (message) => complain(element, message)),
    sync() {
      syncForm();
      sight.follow(field.isConnected ? (field.form ?? element.parentElement) : null);
      if (!field.isConnected) {
        if (!live.delete(mount)) return;
        sight.forget();
        widget.close();
      } else if (!live.has(mount)) {
        live.add(mount);
        begin(handle, sight);
      }
    },
  };
  return mount;
}

/** In mode `load` a widget starts by itself, once it is in sight. */
function begin(handle: WidgetHandle, sight: Sight): void {
  if (choiceOf(handle.element(), 'startMode') !== 'load') return;
  sight.whenSeen(() => {
    if (handle.state() === 'idle') handle.execute();
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
