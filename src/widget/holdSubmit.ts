import { attempt } from './console.ts';
import type { Field } from './field.ts';
import { later } from './timers.ts';

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
 * The functions that repeat the held submissions. The widget that releases one may differ from the one that holds it, because the page may
 * replace the element.
 */
const held = new WeakMap<HTMLFormElement, () => void>();

/** Safari before 15 does not have the class. */
const submitEvent: object = (window as { SubmitEvent?: typeof SubmitEvent }).SubmitEvent?.prototype ?? {};

/** Replacements of the methods of a `submit` event, with which its listeners stop it. */
const INERT = { preventDefault: ignore, stopPropagation: ignore, stopImmediatePropagation: ignore };

function ignore(): void {
  // The listener let the submission pass when it was held; if it accepts only one submission, it would stop the second one.
}

/** Removes the replacements, so that they have no effect on listeners that follow this script's listener. */
function rearmEvents(): void {
  for (const name in INERT) Reflect.deleteProperty(submitEvent, name);
}

/**
 * Holds a form's submission until the check is done, so that a visitor can submit the form at any time. Then submits the form with
 * the same submitter, unless the page has read or submitted the form in the meantime, for example in a callback.
 *
 * @param field of the widget
 * @param mustHold returns whether a submission must wait
 * @param start starts the check. When it is done, the caller calls `release`
 */
export function createHoldSubmit(field: Field, mustHold: () => boolean, start: () => void): HoldSubmit {
  const formOf = () => field.form as HTMLFormElement;
  const cancel = () => held.delete(formOf());

  return {
    onSubmit(event) {
      rearmEvents();
      if (!mustHold()) return;
      const replay = createReplay(event, formOf());
      event.stopImmediatePropagation();
      event.preventDefault();
      held.set(formOf(), replay);
      start();
    },
    release() {
      const form = formOf();
      const replay = held.get(form);
      cancel();
      if (!replay) return;
      let isUsed = false;
      const onUse = () => {
        isUsed = true;
      };
      // Both `form.submit()` and `new FormData(form)` cause this event.
      form.addEventListener('formdata', onUse);
      const finish = () => {
        attempt(() => form.removeEventListener('formdata', onUse));
        if (!isUsed && form.isConnected) replay();
        onUse();
      };
      // Two tasks, because the task of the page's callback is queued after this call.
      if (later(0, () => later(0, finish)) === undefined) finish();
    },
    cancel,
    isHeld: () => held.has(formOf()),
  };
}

/**
 * Keeps the state of a submission at its first event.
 *
 * @returns a function that submits the form with the submitter or, if the page has disabled or removed it, with a copy
 */
function createReplay({ submitter, defaultPrevented }: SubmitEvent, form: HTMLFormElement): () => void {
  const button = submitter as HTMLButtonElement | null;
  const copy = (button ?? document.createElement('button')).cloneNode() as HTMLButtonElement;
  copy.disabled = false;
  return () => {
    // The methods of the prototype, because a field with the name `submit` hides the form's method.
    const { requestSubmit, submit, appendChild } = Object.getPrototypeOf(form) as HTMLFormElement;
    try {
      // Otherwise, the listeners that precede this script's have already stopped the submission, and must be able to do so again.
      if (!defaultPrevented) Object.assign(submitEvent, INERT);
      const isUsable = !button || (button.form === form && !button.matches(':disabled'));
      // Safari before 16 does not support `requestSubmit`. A click on the submitter would call the page's listeners for clicks again.
      if (!requestSubmit || !isUsable) appendChild.call(form, copy);
      if (requestSubmit) requestSubmit.call(form, isUsable ? button : copy);
      else copy.click();
    } catch {
      submit.call(form);
    }
    rearmEvents();
    copy.remove();
  };
}
