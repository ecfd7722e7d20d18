import { attempt } from './console.ts';
import { later } from './timers.ts';

export type HoldSubmit = {
  /** Stops the submission if it must wait. */
  onSubmit(event: SubmitEvent): void;
  /** Submits the form if a submission is held. To be called when the check is done, before the page's callbacks run. */
  release(): void;
  /** Discards the held submission. To be called when the page resets the widget or hides the form during the check. */
  cancel(): void;
};

/**
 * Holds a form's submission until the check is done, so that a visitor can submit the form at any time. Then submits the form with
 * the same submitter, unless the page has read or submitted the form in the meantime, for example in a callback.
 *
 * @param mustHold returns whether a submission must wait
 * @param start starts the check. When it is done, the caller calls `release`
 */
export function createHoldSubmit(mustHold: () => boolean, start: () => void): HoldSubmit {
  let held: { readonly form: HTMLFormElement; readonly submitter: HTMLElement | null } | undefined;

  return {
    onSubmit(event) {
      if (!mustHold()) return;
      // An exception before `preventDefault` lets the submission pass.
      const next = { form: event.target as HTMLFormElement, submitter: event.submitter };
      event.stopImmediatePropagation();
      event.preventDefault();
      held = next;
      start();
    },
    release() {
      const current = held;
      held = undefined;
      if (!current) return;
      const { form, submitter } = current;
      let isUsed = false;
      const onUse = () => {
        isUsed = true;
      };
      // Both `form.submit()` and `new FormData(form)` cause this event.
      form.addEventListener('formdata', onUse);
      const finish = () => {
        attempt(() => form.removeEventListener('formdata', onUse));
        if (!isUsed && form.isConnected) submit(form, submitter);
        isUsed = true;
      };
      // Two tasks, because the task of the page's callback is queued after this call.
      if (later(0, () => later(0, finish)) === undefined) finish();
    },
    cancel() {
      held = undefined;
    },
  };
}

/** Calls the prototype's methods, because a field with the name `submit` or `requestSubmit` hides the form's method. */
function submit(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const { requestSubmit, submit } = Object.getPrototypeOf(form) as HTMLFormElement;
  try {
    const isUsable = submitter && (submitter as HTMLButtonElement).form === form;
    // Safari before 16 does not support `requestSubmit`. `submit` ignores the argument.
    (requestSubmit ?? submit).call(form, isUsable ? submitter : null);
  } catch {
    submit.call(form);
  }
}
