import type { PosternHandle } from './postern.js';

/**
 * Returns the solution of a widget. Starts the check if it has not started, and waits for it.
 *
 * @returns an empty string if the check fails, or if the widget is reset, for example because the form is hidden
 */
export function solutionOf(widget: PosternHandle): Promise<string> {
  const known = widget.solution();
  if (known) return Promise.resolve(known);
  const element = widget.element();
  return new Promise((resolve) => {
    const events = ['postern:finish', 'postern:error', 'postern:reset'] as const;
    const finish = () => {
      for (const name of events) element.removeEventListener(name, finish);
      resolve(widget.solution());
    };
    for (const name of events) element.addEventListener(name, finish);
    widget.execute();
  });
}

/**
 * Sends a form with its solution to the URL in its `action`, and then resets the widget, because a solution is accepted once.
 * If the script is not loaded, or if the check fails, it sends the form without a solution, and the backend decides.
 *
 * @param submitter the button, whose name and value are sent too
 * @param init overrides the options of `fetch`
 */
export async function postForm(
  form: HTMLFormElement,
  submitter?: HTMLElement | null,
  init: RequestInit = {},
): Promise<Response> {
  const body = new FormData(form, submitter);
  const element = form.querySelector<HTMLElement>('.postern-captcha');
  const widget = element ? window.postern?.render(element) : undefined;
  if (widget) {
    const field = element?.dataset.solutionField || 'postern-captcha-solution';
    body.set(field, await solutionOf(widget));
  }
  try {
    return await fetch(form.getAttribute('action') ?? location.href, { method: 'POST', body, ...init });
  } finally {
    widget?.reset();
  }
}
