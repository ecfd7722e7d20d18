import { type Instant, systemClock } from '../lib/time.ts';
import { createFetchPuzzle, type FetchOutcome } from './client.ts';
import { emit, type WidgetHandle } from './events.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { createHoldSubmit, type HoldSubmit } from './holdSubmit.ts';
import { createTranslate } from './languageClient.ts';
import { openPool } from './openPool.ts';
import { choiceOf, type Options, writeOptions } from './options.ts';
import { watchPolicy } from './policy.ts';
import { scriptUrl } from './scriptUrl.ts';
import { createView, type View } from './view.ts';
import { createVisibility, parentOf, type Visibility } from './visibility.ts';
import { createWidget, type Misconfigured, type Widget, type WidgetEvent } from './widget.ts';

export type Field = HTMLInputElement | HTMLTextAreaElement;

/** The properties in which Postern's own widgets and those that replace a vendor's widgets differ. */
export type MountKind = {
  readonly cssClass: string;
  /** The default name of the field. */
  readonly fieldName: string;
  /** The prefix of event names. */
  readonly eventPrefix: string;
  readonly createField: () => Field;
  /** Converts a solution to the field's value. */
  readonly toToken: (solution: string, element: HTMLElement) => string;
};

/** A hidden field that contains the unchanged solution. */
export const PLAIN_FIELD = {
  eventPrefix: 'postern',
  createField(): Field {
    const field = document.createElement('input');
    field.type = 'hidden';
    return field;
  },
  toToken: (solution: string) => solution,
};

/** A widget and its connections to the page. */
export type Mount = {
  readonly handle: WidgetHandle;
  readonly expiry: Expiry;
  /** Emits the `init` event. */
  emitInit(): void;
  /** Checks whether the element is on the page, and in which form. */
  sync(): void;
  /** Restores children that the page removed from the element. */
  restore(): void;
  /** Starts a check again that failed because the server was unreachable. To be called when the network returns. */
  resume(): void;
};

// Each failure doubles the maximum delay after the network has returned, because it may be unstable.
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

const later = (milliseconds: number, run: () => void) => setTimeout(run, milliseconds);
const pause = (milliseconds: number) => new Promise<void>((resolve) => later(milliseconds, resolve));

// The system clock may be set back, and `performance.now` stops while the device sleeps.
const clockOrigin = systemClock() - performance.now();
const monotonicClock = () => Math.max(systemClock(), clockOrigin + performance.now()) as Instant;

const fetchPuzzle = createFetchPuzzle({
  fetch: (url, init) => fetch(url, init),
  pause,
  random: Math.random,
  now: systemClock,
  blockedBy: watchPolicy(),
});

/** Shared by all of a script's widgets. */
export type Tracking = {
  /** The widgets that are on the page. */
  readonly connected: Set<Mount>;
  /** Updates the observed positions of the element. */
  readonly track: (mount: Mount) => void;
};

/** Creates a widget in the element. */
export function mountOn(element: HTMLElement, options: Options, tracking: Tracking, kind: MountKind): Mount {
  writeOptions(element, options);
  // Removes fallback text, or the children of a cloned widget.
  element.textContent = '';
  const host = document.createElement('div');
  const field = kind.createField();
  // The browser must not restore a used solution after a reload.
  field.autocomplete = 'off';
  element.dataset.postern = '';
  element.append(host, field);
  return assemble({ element, host, field, kind }, tracking);
}

type Elements = {
  readonly element: HTMLElement;
  readonly host: HTMLElement;
  readonly field: Field;
  readonly kind: MountKind;
};

function assemble({ element, host, field, kind }: Elements, tracking: Tracking): Mount {
  const failures = countFailures();
  const report = (message: string) => warn(element, message);
  const expiry = openExpiry();
  const view = createView(host, () => widget.start());
  const visibility = createVisibility(() => {
    if (widget.state() !== 'solving') return;
    widget.close();
    onEvent({ kind: 'reset' });
    visibility.whenVisible(widget.start);
  });
  const widget = createWidget({
    fetchPuzzle: (signal) => requestPuzzle(element, signal),
    openPool: () => openPool(endpointOf(element), later),
    expiry,
    now: monotonicClock,
    show: view.show,
    submit: (payload) => {
      field.value = payload && kind.toToken(payload, element);
    },
    mayRestart: () => element.dataset.refreshExpired !== 'manual',
    onEvent,
    whenVisible: visibility.whenVisible,
  });
  const mustHold = () =>
    !field.value && widget.state() !== 'failed' && element.dataset.holdSubmit !== 'false';
  const hold = createHoldSubmit({ mustHold, start: widget.start });
  function onEvent(event: WidgetEvent): void {
    if (event.kind === 'reset' && !event.expired) hold.cancel();
    failures.add(event);
    // Without a network, the browser would replace the page by its own error page.
    const mustWait = failures.isCutOff() && navigator.onLine === false;
    if (event.kind === 'finish' || (event.kind === 'error' && !mustWait)) hold.release();
    emit(handle, kind.eventPrefix, event, report);
  }
  const translate = createTranslate(element, () => endpointOf(element), view.setLanguage);
  const handle: WidgetHandle = {
    solution: () => field.value,
    reset(more = {}) {
      writeOptions(element, more);
      tracking.track(mount);
      visibility.cancelWaiting();
      applyOptions(handle, view, field, kind);
      void translate();
      widget.close();
      onEvent({ kind: 'reset' });
      startOnLoad(handle, visibility, failures.count());
    },
    execute() {
      tracking.track(mount);
      // Nothing would stop the check of a removed element.
      if (field.isConnected) widget.start();
      else report('the element is not on the page');
    },
    element: () => element,
    state: widget.state,
  };
  applyOptions(handle, view, field, kind);
  void translate();
  view.show({ kind: 'idle' });
  const resume = createResume({
    mayResume: () => failures.isCutOff() && widget.state() === 'failed',
    failures: failures.count,
    start: widget.start,
    whenVisible: visibility.whenVisible,
  });
  const { connected } = tracking;
  const mount = attach({ widget, handle, host, field, kind, hold, expiry, visibility, connected, resume });
  return mount;
}

function openExpiry(): Expiry {
  return createExpiry({
    now: monotonicClock,
    setTimer: later,
    clearTimer: (timer) => clearTimeout(timer),
  });
}

/** Counts consecutive failures, and logs them. */
function countFailures() {
  let count = 0;
  let isCutOff = false;
  return {
    add(event: WidgetEvent): void {
      isCutOff = event.kind === 'error' && event.problem === 'service-unreachable';
      if (event.kind === 'finish') count = 0;
      if (event.kind !== 'error') return;
      count += 1;
      log(`${event.problem}: ${event.reason}`);
    },
    count: () => count,
    /** Whether the last check failed because the server was unreachable. */
    isCutOff: () => isCutOff,
  };
}

type ResumeDeps = {
  readonly mayResume: () => boolean;
  /** The number of consecutive failures. */
  readonly failures: () => number;
  readonly start: () => void;
  readonly whenVisible: (run: () => void) => void;
};

/** @returns a function that starts a failed check again after a random delay, because the network may return for many visitors at once */
function createResume({ mayResume, failures, start, whenVisible }: ResumeDeps): () => void {
  let timer: number | undefined;
  return () => {
    clearTimeout(timer);
    const delay = Math.random() * Math.min(RETRY_MS * 2 ** failures(), MAX_RETRY_MS);
    if (mayResume()) timer = later(delay, () => whenVisible(() => mayResume() && start()));
  };
}

/** Applies the element's attributes. */
function applyOptions(handle: WidgetHandle, view: View, field: Field, { fieldName }: MountKind): void {
  const element = handle.element();
  const { solutionField, storeVariable, privacyUrl, styles = '' } = element.dataset;
  const report = (message: string) => warn(element, message);
  field.name = solutionField || fieldName;
  // An assignment would fail for the names of read-only properties.
  if (storeVariable) Object.defineProperty(element, storeVariable, { value: handle, configurable: true });
  choiceOf(element, 'startMode', report);
  const privacy = privacyUrl && urlOf(privacyUrl);
  const isLink = privacy && /^https?:/.test(privacy);
  if (privacyUrl && !isLink) report(`privacyUrl "${privacyUrl}" is not an http or https URL`);
  view.setAppearance({
    mode: choiceOf(element, 'displayMode', report),
    theme: choiceOf(element, 'theme', report),
    branding: choiceOf(element, 'branding', report),
    privacyUrl: isLink ? privacy : '',
    styles,
  });
}

type Parts = {
  readonly widget: Widget;
  readonly handle: WidgetHandle;
  readonly host: HTMLElement;
  readonly field: Field;
  readonly kind: MountKind;
  readonly hold: HoldSubmit;
  readonly expiry: Expiry;
  readonly visibility: Visibility;
  readonly connected: Set<Mount>;
  readonly resume: () => void;
};

/** Connects a widget to the page and to the form of its field. */
function attach(parts: Parts): Mount {
  const { widget, handle, host, field, kind, hold, expiry, visibility, connected, resume } = parts;
  const element = handle.element();
  const syncForm = watchForm(field, (event) => {
    if (event.type === 'submit') hold.onSubmit(event as SubmitEvent);
    // Other listeners may still cancel the reset.
    else if (event.type === 'reset') later(0, () => event.defaultPrevented || handle.reset());
    else if (choiceOf(element, 'startMode') !== 'click' && widget.state() === 'idle') widget.start();
  });
  const mount: Mount = {
    handle,
    expiry,
    resume,
    emitInit: () => emit(handle, kind.eventPrefix, { kind: 'init' }, (message) => warn(element, message)),
    sync() {
      syncForm();
      visibility.watchElement(field.isConnected ? (field.form ?? parentOf(element)) : null);
      if (!field.isConnected) {
        if (!connected.delete(mount)) return;
        visibility.cancelWaiting();
        widget.close();
      } else if (!connected.has(mount)) {
        connected.add(mount);
        startOnLoad(handle, visibility, 0);
      }
    },
    restore() {
      if (!element.contains(field)) element.append(host, field);
    },
  };
  return mount;
}

/**
 * Starts the check as soon as the widget is visible if the start mode is `load`.
 *
 * @param failures number of consecutive failures; each doubles the delay, because the page may reset the widget after every failure
 */
function startOnLoad(handle: WidgetHandle, visibility: Visibility, failures: number): void {
  if (choiceOf(handle.element(), 'startMode') !== 'load') return;
  const start = () =>
    visibility.whenVisible(() => {
      if (handle.state() === 'idle') handle.execute();
    });
  if (failures === 0) start();
  else later(1000 * 2 ** Math.min(failures, 6), start);
}

// Includes `input`, because a field may have had the focus before this script was loaded or during a reset.
const FORM_EVENTS = ['focusin', 'input', 'reset', 'submit'];

/**
 * Listens to events of the field's form, and of elements that belong to it through their `form` attribute.
 *
 * @returns a function that checks which form the field is in
 */
function watchForm(field: Field, onEvent: (event: Event) => void): () => void {
  let root: Node | null = null;
  function filter(event: Event): void {
    const { form } = field;
    const target = event.target as HTMLInputElement;
    // A link, such as the one of the widget, is not a field.
    if (event.composedPath()[0] instanceof HTMLAnchorElement) return;
    // A field with the name `contains` overrides the form's method.
    if (form && (target.form === form || Node.prototype.contains.call(form, target))) onEvent(event);
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

async function requestPuzzle(
  element: HTMLElement,
  signal: AbortSignal,
): Promise<FetchOutcome | Misconfigured> {
  const { sitekey, puzzleEndpoint = '' } = element.dataset;
  const endpoint = endpointOf(element);
  // The page may restart the widget after the error; the pause lets other work run.
  if (!sitekey || endpoint === undefined) await pause(100);
  if (!sitekey) return { ok: false, problem: 'sitekey-missing', reason: 'data-sitekey is empty' };
  if (endpoint === undefined) {
    const reason = `data-puzzle-endpoint is "${puzzleEndpoint}"`;
    return { ok: false, problem: 'endpoint-malformed', reason };
  }
  return fetchPuzzle(endpoint, sitekey, signal);
}

/** @returns the endpoint that the page chose, or `/puzzle` on the script's host; undefined if it is invalid */
function endpointOf({ dataset: { puzzleEndpoint } }: HTMLElement): string | undefined {
  return puzzleEndpoint ? urlOf(puzzleEndpoint) : urlOf('/puzzle', scriptUrl);
}

/** @returns the absolute URL; undefined if it is invalid */
function urlOf(text: string, base: string = document.baseURI): string | undefined {
  try {
    return new URL(text, base).href;
  } catch {
    return undefined;
  }
}

function warn(element: HTMLElement, message: string): void {
  if (element.dataset.debug === 'true') log(message);
}

function log(message: string): void {
  // biome-ignore lint/suspicious/noConsole: for the owner of the website; the widget's own messages are for visitors
  console.error('[postern]', message);
}
