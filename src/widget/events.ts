import { functionAt, type Options } from './options.ts';
import { later } from './timers.ts';
import type { WidgetEvent } from './widget.ts';

/** A widget in the API for the page's scripts. */
export interface WidgetHandle {
  /** The payload; empty before the check is finished and after it expired. */
  solution(): string;
  /** Resets the widget. @param options replace the corresponding attributes */
  reset(options?: Options): void;
  /** Starts the check, as if the visitor activated the control. */
  execute(): void;
  element(): HTMLElement;
  /** `idle`, `solving`, `verified`, `expired`, or `failed`. */
  state(): string;
}

/** Events whose callback attributes are in the past tense, such as `data-started-callback`. */
const PAST_TENSE = /^(start|finish|error)$/;

/**
 * Dispatches the event `<prefix>:<kind>` on the element and calls the page's callback with the widget. The callback runs in a
 * separate task, so its exceptions do not affect the widget.
 *
 * @param report called if the callback is not a function
 */
export function emit(
  handle: WidgetHandle,
  prefix: string,
  { kind, ...more }: WidgetEvent | { readonly kind: 'init' },
  report: (callback: string) => void,
): void {
  const element = handle.element();
  const detail = { widget: handle, element, ...more };
  element.dispatchEvent(new CustomEvent(`${prefix}:${kind}`, { bubbles: true, composed: true, detail }));
  const name = `${kind}${PAST_TENSE.test(kind) ? 'ed' : ''}Callback`;
  const path = element.dataset[name];
  if (!path) return;
  const found = functionAt(path);
  if (found) later(0, () => found(handle));
  else report(name);
}
