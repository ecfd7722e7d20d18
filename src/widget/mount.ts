import { attempt, logOnce } from './console.ts';
import { endpointOf } from './endpoint.ts';
import { emit, type WidgetHandle } from './events.ts';
import { createExpiry, type Expiry } from './expiry.ts';
import { createReport, loadSolver, type Report } from './extras.ts';
import { createFailures } from './failures.ts';
import { type Field, type MountKind, watchForm } from './field.ts';
import { createHoldSubmit, type HoldSubmit } from './holdSubmit.ts';
import { createTranslate } from './languageClient.ts';
import { openPool } from './openPool.ts';
import { type Options, writeOptions } from './options.ts';
import { requestPuzzle } from './puzzleRequest.ts';
import { clearTimer, later, monotonicClock } from './timers.ts';
import { createView, type View } from './view.ts';
import { createVisibility, parentOf, type Visibility } from './visibility.ts';
import { createWidget, type Widget, type WidgetEvent } from './widget.ts';

/** A widget and its connections to the page. */
export type Mount = {
  readonly handle: WidgetHandle;
  readonly expiry: Expiry;
  readonly visibility: Visibility;
  /** Emits the `init` event. */
  emitInit(): void;
  /** Checks whether the element is on the page, and in which form. */
  sync(): void;
  /** Restores children that the page removed from the element. */
  restore(): void;
  /** Starts a check again that failed because the server was unreachable. To be called when the network returns. */
  resume(): void;
};

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
  // The page may hide elements without content, for example with `div:empty`. This character is invisible.
  host.textContent = '\u200b';
  const field = kind.createField();
  // The browser must not restore a used solution after a reload.
  field.autocomplete = 'off';
  element.append(host, field);
  return assemble(element, host, field, tracking, kind);
}

function assemble(
  element: HTMLElement,
  host: HTMLElement,
  field: Field,
  { connected, track }: Tracking,
  kind: MountKind,
): Mount {
  const report = createReport(element);
  const expiry = openExpiry();
  const view = createView(element, host, () => widget.start());
  const visibility = createVisibility(() => {
    if (widget.state() !== 'solving') return;
    widget.close();
    onEvent({ kind: 'reset' });
    visibility.whenVisible(widget.start);
  });
  const widget = createWidget({
    fetchPuzzle: (signal, failure) => requestPuzzle(element, signal, failure),
    openPool: () => openPool(endpointOf(element)),
    loadArgon2id: () => loadSolver('argon2id', endpointOf(element)),
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
  const failures = createFailures(widget, visibility.whenVisible);
  const hold = createHoldSubmit(() => mustHold(element, field, widget), widget.start);
  function onEvent(event: WidgetEvent): void {
    if (event.kind === 'reset' && !event.expired) hold.cancel();
    failures.add(event);
    // Without a network, the browser would replace the page by its own error page.
    const mustWait = failures.isCutOff() && !navigator.onLine;
    if (event.kind === 'finish' || (event.kind === 'error' && !mustWait)) hold.release();
    attempt(() => emit(handle, kind.eventPrefix, event, report));
  }
  const translate = createTranslate(element, view.setLanguage);
  const apply = () => {
    applyOptions(handle, view, field, kind.fieldName, report);
    translate().catch(logOnce);
  };
  const handle: WidgetHandle = {
    solution: () => field.value,
    reset(more = {}) {
      writeOptions(element, more);
      track(mount);
      visibility.cancelWaiting();
      apply();
      widget.close();
      onEvent({ kind: 'reset' });
      startOnLoad(handle, visibility, failures.count());
    },
    execute() {
      track(mount);
      // Nothing would stop the check of a removed element.
      if (field.isConnected) widget.start();
      else report('place');
    },
    element: () => element,
    state: widget.state,
  };
  apply();
  view.show({ kind: 'idle' });
  const syncIn = connect(widget, handle, field, hold, visibility);
  const mount: Mount = {
    handle,
    expiry,
    visibility,
    resume: failures.resume,
    emitInit: () => emit(handle, kind.eventPrefix, { kind: 'init' }, report),
    sync: () => syncIn(connected, mount),
    restore: () => element.contains(field) || element.append(host, field),
  };
  return mount;
}

function openExpiry(): Expiry {
  return createExpiry({
    now: monotonicClock,
    setTimer: later,
    clearTimer,
  });
}

function mustHold(element: HTMLElement, field: Field, widget: Widget): boolean {
  return !field.value && widget.state() !== 'failed' && element.dataset.holdSubmit !== 'false';
}

/** Applies the element's attributes. */
function applyOptions(
  handle: WidgetHandle,
  view: View,
  field: Field,
  fieldName: string,
  report: Report,
): void {
  const element = handle.element();
  const { solutionField, storeVariable } = element.dataset;
  field.name = solutionField || fieldName;
  // An assignment would fail for the names of read-only properties. For a property that cannot be redefined, this has no effect.
  if (storeVariable) Reflect.defineProperty(element, storeVariable, { value: handle, configurable: true });
  view.updateAppearance();
  report('options');
}

/** Connects a widget to the page and to the form of its field. @returns the widget's `sync` */
function connect(
  widget: Widget,
  handle: WidgetHandle,
  field: Field,
  hold: HoldSubmit,
  visibility: Visibility,
): (connected: Set<Mount>, mount: Mount) => void {
  const element = handle.element();
  const syncForm = watchForm(field, (event) => {
    if (event.type === 'submit') hold.onSubmit(event as SubmitEvent);
    // Other listeners may still cancel the reset.
    else if (event.type === 'reset') later(0, () => event.defaultPrevented || handle.reset());
    else if (element.dataset.startMode !== 'click' && widget.state() === 'idle') widget.start();
  });
  return (connected, mount) => {
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
  };
}

/**
 * Starts the check as soon as the widget is visible if the start mode is `load`.
 *
 * @param failures number of consecutive failures; each doubles the delay, because the page may reset the widget after every failure
 */
function startOnLoad(handle: WidgetHandle, visibility: Visibility, failures: number): void {
  if (handle.element().dataset.startMode !== 'load') return;
  const start = () =>
    visibility.whenVisible(() => {
      if (handle.state() === 'idle') handle.execute();
    });
  if (failures === 0) start();
  else later(1000 * 2 ** Math.min(failures, 6), start);
}
