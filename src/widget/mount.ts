import { loadExtras, loadSolver, report } from './buildFiles.ts';
import { attempt, logOnce } from './console.ts';
import { createFailures } from './failures.ts';
import { type MountKind, watchForm } from './field.ts';
import { createHoldSubmit } from './holdSubmit.ts';
import { createTranslate } from './languageClient.ts';
import { openPool } from './openPool.ts';
import { emit, type Options, type WidgetHandle, writeOptions } from './pageApi.ts';
import { requestPuzzle } from './puzzleRequest.ts';
import { clearTimer, later, monotonicClock } from './timers.ts';
import { createView } from './view.ts';
import { createVisibility, parentOf } from './visibility.ts';
import { createExpiry, createWidget, type WidgetEvent } from './widget.ts';

/** A widget and its connections to the page. */
export type Mount = {
  readonly handle: WidgetHandle;
  /** Checks whether the widget is visible, and whether the puzzle has expired. To be called when the page becomes visible or hidden. */
  check(): void;
  /** Checks whether the element is on the page, and in which form, and whether its content is complete. */
  sync(): void;
  /** Restores the content of the element if the page has changed it. */
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
  /** Counts a change of the page in response to a change. @returns whether it is allowed */
  readonly mayChange: () => boolean;
};

/** Creates a widget in the element. @throws if the page has removed a Web API that the widget needs */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of parts that refer to each other
export function mountOn(
  element: HTMLElement,
  options: Options | null | undefined,
  { connected, track, mayChange }: Tracking,
  kind: MountKind,
): Mount {
  const host = document.createElement('div');
  const field = kind.createField();
  // The browser must not restore a used solution after a reload.
  field.autocomplete = 'off';
  /** The attributes that scripts have set. */
  const given = writeOptions(element, options);
  /** The value of the field, which the page may change. */
  let token = '';
  /** Whether the page has read the value, and may therefore have sent the solution, which is accepted only once. */
  let isRead = false;
  /** Whether the page has canceled a submission that contained the solution, and has therefore probably sent it itself. */
  let isSent = false;
  const expiry = createExpiry(monotonicClock, later, clearTimer);
  const view = createView(element, host, () => widget.start());
  const visibility = createVisibility(() => {
    if (widget.state() !== 'solving') return;
    widget.cancel();
    onEvent({ kind: 'reset' });
    whenVisible(widget.start);
  });
  const { whenVisible } = visibility;
  const widget = createWidget({
    fetchPuzzle: (...request) => requestPuzzle(element, ...request),
    openPool: () => openPool(element),
    loadSolver: (challenge) => loadSolver(challenge, element),
    expiry,
    now: monotonicClock,
    show: view.show,
    setSolution(payload) {
      field.value = token = payload && kind.toToken(payload, element);
      isRead = isSent = false;
    },
    mayRestart: () => element.dataset.refreshExpired !== 'manual',
    onEvent,
    whenVisible,
  });
  const failures = createFailures(widget, whenVisible);
  const loadReplay = async () => (await loadExtras(element)).replay;
  /** Also resets the widget if its solution was sent. */
  const mustHold = () => {
    if (element.dataset.holdSubmit === 'false') return false;
    if (isSent) handle.reset();
    return !field.value && widget.state() !== 'failed';
  };
  const hold = createHoldSubmit(field, mustHold, loadReplay, widget.start);
  function onEvent(event: WidgetEvent): void {
    if (event.kind === 'reset' && !event.expired) hold.cancel();
    // Without a network, the browser would replace the page by its own error page.
    const mustWait = failures.add(event) && !navigator.onLine;
    if (!mustWait && /finish|error/.test(event.kind)) hold.release();
    attempt(() => emit(handle, kind.eventPrefix, event));
  }
  const translate = createTranslate(element, view.setLanguage);
  /** Applies the element's attributes. */
  const apply = () => {
    const { solutionField, storeVariable } = element.dataset;
    field.name = solutionField || kind.fieldName;
    // An assignment would fail for the names of read-only properties. For a property that cannot be redefined, this has no effect.
    if (storeVariable) Reflect.defineProperty(element, storeVariable, { value: handle, configurable: true });
    view.updateAppearance();
    report(element, 'options');
    translate().catch(logOnce);
  };
  /**
   * Starts the check as soon as the widget is visible if the start mode is `load`.
   *
   * @param failed number of consecutive failures; each doubles the delay, because the page may reset the widget after every failure
   */
  const startOnLoad = (failed: number) => {
    if (element.dataset.startMode !== 'load') return;
    const start = () => whenVisible(() => widget.state() !== 'idle' || handle.execute());
    if (failed) later(1000 * 2 ** Math.min(failed, 6), start);
    else start();
  };
  const handle: WidgetHandle = {
    solution: () => field.value,
    reset(more) {
      writeOptions(element, more, given);
      track(mount);
      visibility.cancelWaiting();
      apply();
      widget.cancel();
      onEvent({ kind: 'reset' });
      startOnLoad(failures.count());
    },
    execute() {
      track(mount);
      // Nothing would stop the check of a removed element.
      if (field.isConnected) widget.start();
      else report(element, 'place');
    },
    element: () => element,
    state: widget.state,
  };
  view.show({ kind: 'idle' });
  // A library may reuse the host for another element, without its attributes.
  const isComplete = () => host.isConnected && field.isConnected && host.dataset.mode !== undefined;
  const restore = () => {
    if (isComplete()) return;
    if (!host.isConnected) {
      // Removes fallback text, or the children of a cloned widget.
      element.textContent = '';
      element.append(host);
    }
    if (!field.isConnected) element.append(field);
    // The page may hide elements without content, for example with `div:empty`. This character is invisible.
    host.textContent = '\u200b';
    element.classList.add(kind.cssClass);
    writeOptions(element, given);
    apply();
    field.value = token;
  };
  const syncForm = watchForm(field, (event) => {
    const { type } = event;
    if (type === 'formdata') isRead = token !== '';
    else if (type === 'submit') {
      hold.onSubmit(event as SubmitEvent);
      // After all listeners, and after submissions that they repeat at once.
      later(0, () => {
        if (token) isSent = event.defaultPrevented;
      });
    }
    // Other listeners may still cancel the reset.
    else if (type === 'reset') later(0, () => event.defaultPrevented || handle.reset());
    else if (element.dataset.startMode !== 'click' && widget.state() === 'idle') widget.start();
  });
  /** Starts or ends the work of a widget that the page has added or removed. */
  const updateConnected = () => {
    if (field.isConnected === connected.has(mount)) return;
    if (field.isConnected) {
      connected.add(mount);
      if (isRead) handle.reset();
      if (hold.isHeld()) widget.start();
      startOnLoad(0);
    } else {
      connected.delete(mount);
      visibility.cancelWaiting();
      if (widget.state() !== 'verified') widget.cancel();
    }
  };
  const mount: Mount = {
    handle,
    check() {
      expiry.check();
      visibility.check();
    },
    resume: failures.resume,
    restore,
    sync() {
      const mustRestore = element.isConnected && !isComplete() && mayChange();
      if (mustRestore) restore();
      syncForm();
      visibility.watchElement(field.isConnected ? (field.form ?? parentOf(element)) : null);
      if (mustRestore && isRead) handle.reset();
      updateConnected();
    },
  };
  restore();
  return mount;
}
