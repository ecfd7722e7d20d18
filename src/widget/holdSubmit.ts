export type HoldDeps = {
  /** Whether a submission must wait. */
  readonly mustHold: () => boolean;
  /** Starts the check; `release` is called when it is done. */
  readonly start: () => void;
};

export type HoldSubmit = {
  /** Stops the submission if it must wait. */
  onSubmit(event: SubmitEvent): void;
  /** The check is done: submits the form if a submission waits. Call it before the page's callbacks run. */
  release(): void;
  /** The check ended without a result, so nothing is submitted. */
  cancel(): void;
};

/**
 * Holds the submission of a form until the check is done, so that a visitor can press Enter before. Then the form is submitted with
 * the same submitter, unless the page has read or submitted it in the meantime, for example in a callback.
 */
export function createHoldSubmit({ mustHold, start }: HoldDeps): HoldSubmit {
  let held: { readonly form: HTMLFormElement; readonly submitter: HTMLElement | null } | undefined;

  return {
    onSubmit(event) {
      if (!mustHold()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      held = { form: event.target as HTMLFormElement, submitter: event.submitter ?? null };
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
        form.removeEventListener('formdata', onUse);
        if (!isUsed && form.isConnected) submit(form, submitter);
      };
      // After the callbacks, whose task will be queued next.
      setTimeout(() => setTimeout(finish, 0), 0);
    },
    cancel() {
      held = undefined;
    },
  };
}

/** Calls the methods of the prototype, because a field with the name `requestSubmit` overrides the form's own. */
function submit(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const { requestSubmit, submit } = HTMLFormElement.prototype;
  const isUsable = submitter && (submitter as HTMLButtonElement).form === form;
  // Safari before 16 does not support `requestSubmit`.
  if (typeof requestSubmit === 'function') requestSubmit.call(form, isUsable ? submitter : null);
  else submit.call(form);
}
