import { logOnce } from './console.ts';
import type { Field } from './field.ts';
import { later, pause } from './timers.ts';

export type HoldSubmit = {
  /** Stops the submission if it must wait. */
  onSubmit(event: SubmitEvent): void;
  /** Submits the form if a submission is held. To be called when the check is done, before the page's callbacks run. */
  release(): void;
  /** Discards the held submission. To be called when the page resets the widget or hides the form during the check. */
  cancel(): void;
  isHeld(): boolean;
};

/**
 * Submits a form in the state that it had at its first event. A part of `extras.js`.
 *
 * @param copy a copy of the button, which the page may have disabled or removed since
 * @param wasPrevented whether a listener that precedes this script's had stopped it
 * @param watch sets the function that is called when the event has passed the listeners that precede this script's
 */
export type Replay = (
  form: HTMLFormElement,
  button: HTMLButtonElement | null,
  copy: HTMLButtonElement | undefined,
  wasPrevented: boolean,
  watch: (onPassed: (event: Event) => void) => void,
) => void;

/**
 * The functions that repeat the held submissions. The widget that releases one may differ from the one that holds it, because the page may
 * replace the element.
 */
const held = new WeakMap<HTMLFormElement, () => Promise<void>>();

/** Maximum time that a submission waits for `extras.js` after the check, in milliseconds. */
const LOAD_MS = 4000;

let onPassed: ((event: Event) => void) | undefined;

/**
 * Holds a form's submission until the check is done, so that a visitor can submit the form at any time. Then submits the form with
 * the same submitter, unless the page has read or submitted the form in the meantime, for example in a callback.
 *
 * @param field of the widget
 * @param mustHold called once for each submission; returns whether it must wait
 * @param loadReplay loads the function that submits the form; it may fail
 * @param start starts the check. When it is done, the caller calls `release`
 */
export function createHoldSubmit(
  field: Field,
  mustHold: () => boolean,
  loadReplay: () => Promise<Replay>,
  start: () => void,
): HoldSubmit {
  const formOf = () => field.form as HTMLFormElement;
  const cancel = () => held.delete(formOf());

  return {
    onSubmit(event) {
      onPassed?.(event);
      if (!mustHold()) return;
      held.set(formOf(), keepSubmission(formOf(), event.submitter, event.defaultPrevented, loadReplay));
      event.stopImmediatePropagation();
      event.preventDefault();
      start();
    },
    release() {
      const send = held.get(formOf());
      cancel();
      send?.().catch(logOnce);
    },
    cancel,
    isHeld: () => held.has(formOf()),
  };
}

/** @returns a function that submits the form as it was submitted, unless the page reads or submits it in the next task */
export function keepSubmission(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  wasPrevented: boolean,
  loadReplay: () => Promise<Replay>,
): () => Promise<void> {
  const button = submitter as HTMLButtonElement | null;
  const copy = button?.cloneNode() as HTMLButtonElement | undefined;
  const loaded = loadReplay().catch(() => undefined);

  return async () => {
    let isUsed = false;
    const onUse = () => {
      isUsed = true;
    };
    // Both `form.submit()` and `new FormData(form)` cause this event.
    form.addEventListener('formdata', onUse, { once: true });
    const replay = await Promise.race([loaded, pause(LOAD_MS)]);
    // The task of the page's callback is queued before this one.
    await new Promise<void>((resolve) => later(0, resolve) ?? resolve());
    if (isUsed || !form.isConnected) return;
    if (replay) {
      replay(form, button, copy, wasPrevented, (listener) => {
        onPassed = listener;
      });
      return;
    }
    // The methods of the prototype, because a field with the name `submit` hides the form's method.
    const { submit, requestSubmit = submit } = HTMLFormElement.prototype;
    requestSubmit.call(form, button?.form === form ? button : null);
  };
}
