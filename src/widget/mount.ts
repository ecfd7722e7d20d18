import { type Instant, systemClock } from '../lib/time.ts';
import { type ClientEnding, createFetchPuzzle } from './client.ts';
import { announce, type WidgetHandle } from './events.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { fetchKernel } from './kernelClient.ts';
import { createOpenHere, createOpenWorker, type LaneProgram } from './lanes.ts';
import { createTranslate } from './languageClient.ts';
import { choiceOf, type Options, writeOptions } from './options.ts';
import { watchPolicy } from './policy.ts';
import { createPool, laneCountOf } from './pool.ts';
import { createSight, parentOf, type Sight } from './sight.ts';
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
  // An image named `currentScript` would be taken for it.
  for (const found of [document.currentScript, document.querySelector(`script[src*="${OWN_PATH}"]`)]) {
    if (found instanceof HTMLScriptElement) return found.src;
  }
  return '';
}

/** A widget and its ties to the page. */
export type Mount = {
  readonly handle: WidgetHandle;
  readonly expiry: Expiry;
  /** Tells the page that it is there. */
  greet(): void;
  /** Looks whether the element is on the page, and in which form. */
  sync(): void;
  /** Puts back what the page took out of the element. */
  revive(): void;
};

const later = (milliseconds: number, run: () => void) => setTimeout(run, milliseconds);
const pause = (milliseconds: number) => new Promise<void>((resolve) => later(milliseconds, resolve));

// A device's clock may be set back, and the other one stops while it sleeps.
const steadyOrigin = systemClock() - performance.now();
const steadyClock = () => Math.max(systemClock(), steadyOrigin + performance.now()) as Instant;

const fetchPuzzle = createFetchPuzzle({
  fetch: (url, init) => fetch(url, init),
  pause,
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

/** What the page's script gives to each of its widgets. */
export type Page = {
  /** Where a widget is listed while it is on the page. */
  readonly live: Set<Mount>;
  /** Looks where the element is now. */
  readonly attend: (mount: Mount) => void;
};

/** Makes a widget of the element. */
export function mountOn(element: HTMLElement, options: Options, page: Page): Mount {
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
  return assemble(element, host, field, page);
}

function assemble(element: HTMLElement, host: HTMLElement, field: HTMLInputElement, page: Page): Mount {
  const trouble = { count: 0 };
  const expiry = createExpiry({
    now: steadyClock,
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
    now: steadyClock,
    show: view.show,
    submit: (payload) => {
      field.value = payload;
    },
    onEvent: tell,
    whenVisible: sight.whenSeen,
  });
  function tell(event: WidgetEvent): void {
    if (event.kind === 'finish') trouble.count = 0;
    if (event.kind === 'error') {
      trouble.count += 1;
      complain(element, `${event.problem}: ${event.reason}`);
    }
    announce(handle, event, (message) => complain(element, message));
  }
  const translate = createTranslate(element, scriptUrl, view.speak);
  const handle: WidgetHandle = {
    solution: () => field.value,
    reset(more = {}) {
      writeOptions(element, more);
      page.attend(mount);
      sight.forget();
      dress(handle, view, field);
      translate();
      widget.close();
      tell({ kind: 'reset' });
      begin(handle, sight, trouble.count);
    },
    execute() {
      page.attend(mount);
      // Nobody would ever stop it.
      if (field.isConnected) widget.start();
      else complain(element, 'the element is not on the page');
    },
    element: () => element,
    state: widget.state,
  };
  dress(handle, view, field);
  translate();
  view.show({ kind: 'idle' });
  const mount = tie({ widget, handle, host, field, expiry, sight, live: page.live });
  return mount;
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
  readonly host: HTMLElement;
  readonly field: HTMLInputElement;
  readonly expiry: Expiry;
  readonly sight: Sight;
  readonly live: Set<Mount>;
};

/** Ties a widget to the page, and to whatever form its field is in. */
function tie({ widget, handle, host, field, expiry, sight, live }: Ties): Mount {
  const element = handle.element();
  const syncForm = followForm(field, (event) => {
    // Whether the reset holds is known when all have heard of it.
    if (event.type === 'reset') later(0, () => event.defaultPrevented || handle.reset());
    else if (choiceOf(element, 'startMode') !== 'click' && widget.state() === 'idle') widget.start();
  });
  const mount: Mount = {
    handle,
    expiry,
    greet: () => announce(handle, { kind: 'init' }, (message) => complain(element, message)),
    sync() {
      syncForm();
      sight.follow(field.isConnected ? (field.form ?? parentOf(element)) : null);
      if (!field.isConnected) {
        if (!live.delete(mount)) return;
        sight.forget();
        widget.close();
      } else if (!live.has(mount)) {
        live.add(mount);
        begin(handle, sight, 0);
      }
    },
    revive() {
      if (!element.contains(field)) element.append(host, field);
    },
  };
  return mount;
}

/**
 * In mode `load` a widget starts by itself, once it is in sight.
 *
 * @param failures in a row: after some it takes its time, for what resets it may do so at each
 */
function begin(handle: WidgetHandle, sight: Sight, failures: number): void {
  if (choiceOf(handle.element(), 'startMode') !== 'load') return;
  const start = () =>
    sight.whenSeen(() => {
      if (handle.state() === 'idle') handle.execute();
    });
  if (failures === 0) start();
  else later(1000 * 2 ** Math.min(failures, 6), start);
}

// Typing counts too: a field may have had the focus before this script came, or keep it through a reset.
const FORM_EVENTS = ['focusin', 'input', 'reset'];

/**
 * Listens to the form that the field is in, and to what belongs to that from elsewhere (`form=`), as long as it is in it; the
 * returned function looks which that is.
 */
function followForm(field: HTMLInputElement, hear: (event: Event) => void): () => void {
  let root: Node | null = null;
  function filter(event: Event): void {
    const { form } = field;
    const target = event.target as HTMLInputElement;
    // A field named `contains` hides the form's own.
    if (form && (target.form === form || Node.prototype.contains.call(form, target))) hear(event);
  }
  return () => {
    const next = field.isConnected && field.form ? field.getRootNode() : null;
    if (next === root) return;
    for (const type of FORM_EVENTS) {
      root?.removeEventListener(type, filter, true);
      next?.addEventListener(type, filter, true);
    }
    root = next;
  };
}

async function askFor(element: HTMLElement, signal: AbortSignal): Promise<ClientEnding | Misconfigured> {
  const { sitekey, puzzleEndpoint = '' } = element.dataset;
  const endpoint = endpointOf(puzzleEndpoint);
  // What hears of it may start again: not without a pause for everything else.
  if (!sitekey || endpoint === undefined) await pause(100);
  if (!sitekey) return { ok: false, problem: 'sitekey-missing', reason: 'data-sitekey is empty' };
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
