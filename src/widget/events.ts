import { functionAt, type Options } from './options.ts';
import type { WidgetEvent } from './widget.ts';

/** A widget as scripts of the page see it. */
export interface WidgetHandle {
  /** The payload; empty before the check is done and after it has expired. */
  solution(): string;
  /** Back to the beginning. @param options to go by from now on; the others stay */
  reset(options?: Options): void;
  /** Starts the check, as if the control were pressed. */
  execute(): void;
  element(): HTMLElement;
  /** `idle`, `solving`, `verified`, `expired` or `failed`. */
  state(): string;
}

/** What an event is called in the attribute of its callback, where that differs. */
const CALLBACKS: { readonly [kind: string]: string } = {
  start: 'started',
  finish: 'finished',
  error: 'errored',
};

/**
 * Tells the page: an event `postern:<kind>` on the element and, as a task of its own, the callback that the element
 * names, which gets the widget. What a callback throws is the page's own error.
 *
 * @param complain hears of a callback that is not there
 */
export function announce(
  handle: WidgetHandle,
  { kind, ...more }: WidgetEvent | { readonly kind: 'init' },
  complain: (message: string) => void,
): void {
  const element = handle.element();
  const detail = { widget: handle, ...more };
  element.dispatchEvent(new CustomEvent(`postern:${kind}`, { bubbles: true, composed: true, detail }));
  const name = `${CALLBACKS[kind] ?? kind}Callback`;
  const path = element.dataset[name];
  if (!path) return;
  const found = functionAt(path);
  if (found) setTimeout(() => found(handle), 0);
  else complain(`${name}: no function "${path}"`);
}
