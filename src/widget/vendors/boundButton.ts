import { loadReplay } from '../extras.ts';
import { keepSubmission } from '../holdSubmit.ts';
import type { VendorWidget } from './vendorWidget.ts';

/**
 * Starts the check when the visitor clicks a button that is a widget's container. After the check, submits the form in the state that it
 * had at the click, unless the widget has a callback. Further clicks have no effect until the check is done.
 *
 * @param execute starts the check
 */
export function bindButton(
  container: HTMLElement,
  widget: VendorWidget,
  execute: (widget: VendorWidget) => Promise<unknown>,
): void {
  const button = container as HTMLButtonElement;
  let isPending = false;

  async function submit(): Promise<void> {
    isPending = true;
    const { form, type } = button;
    const submitter = /^(submit|image)$/.test(type) ? button : null;
    const load = () => loadReplay(widget.handle.element());
    // No listener has seen a submission yet, so each of them may stop it.
    const send = form && !widget.options.has('callback') && keepSubmission(form, submitter, true, load);
    try {
      await execute(widget);
      if (send) await send();
    } catch {
      // The widget has reported the failure.
    }
    isPending = false;
  }

  button.addEventListener('click', (event) => {
    event.preventDefault();
    if (!isPending) void submit();
  });
}
