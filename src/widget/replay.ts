/** Safari before 15 does not have the class. */
const submitEvent: object = (window as { SubmitEvent?: typeof SubmitEvent }).SubmitEvent?.prototype ?? {};

/** The members of an event with which its listeners stop it. */
const METHODS = ['preventDefault', 'stopPropagation', 'stopImmediatePropagation'] as const;
const PROPERTIES = { returnValue: true, cancelBubble: false } as const;

/**
 * Submits a form with the submitter or, if the page has disabled or removed it, with a copy. The listeners that precede this script's have
 * let the submission pass when it was held. If they accept only one submission, they would stop this one, so they cannot, except when the
 * visitor answers one of their questions with Cancel.
 *
 * @param watch sets the function that is called after these listeners
 */
export function replaySubmission(
  form: HTMLFormElement,
  button: HTMLButtonElement | null,
  given: HTMLButtonElement | undefined,
  wasPrevented: boolean,
  watch: (onPassed: (event: Event) => void) => void,
): void {
  // The methods of the prototype, because a field with the name `submit` hides the form's method.
  const { requestSubmit, submit, appendChild } = Object.getPrototypeOf(form) as HTMLFormElement;
  // The listeners that had stopped the submission must be able to do so again.
  const earlier = wasPrevented ? undefined : disarm();
  watch((event) => {
    if (!earlier?.end()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  const copy = given ?? document.createElement('button');
  copy.disabled = false;
  try {
    const isUsable = !button || (button.form === form && !button.matches(':disabled'));
    // Safari before 16 does not support `requestSubmit`. A click on the submitter would call the page's listeners for clicks again.
    if (!requestSubmit || !isUsable) appendChild.call(form, copy);
    if (requestSubmit) requestSubmit.call(form, isUsable ? button : copy);
    else copy.click();
  } catch {
    if (!earlier?.end()) submit.call(form);
  }
  watch(() => {});
  earlier?.end();
  copy.remove();
}

/**
 * Replaces what a listener can stop a `submit` event with.
 *
 * @returns `end` removes the replacements, and returns whether a listener has stopped the submission because of the visitor: it tried to stop
 *   the event after a question was answered with Cancel
 */
function disarm(): { end: () => boolean } {
  const { confirm } = window;
  let isCanceled = false;
  let isStopped = false;
  const stop = () => {
    isStopped = isStopped || isCanceled;
  };
  const ask = (message?: string) => {
    const isConfirmed = confirm.call(window, message);
    isCanceled = isCanceled || !isConfirmed;
    return isConfirmed;
  };
  for (const name of METHODS) Reflect.defineProperty(submitEvent, name, { value: stop, configurable: true });
  for (const [name, value] of Object.entries(PROPERTIES))
    Reflect.defineProperty(submitEvent, name, { get: () => value, set: stop, configurable: true });
  Reflect.set(window, 'confirm', ask);
  return {
    end() {
      for (const name of [...METHODS, ...Object.keys(PROPERTIES)]) Reflect.deleteProperty(submitEvent, name);
      if (window.confirm === ask) Reflect.set(window, 'confirm', confirm);
      return isStopped;
    },
  };
}
