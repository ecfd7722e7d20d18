import { report } from './buildFiles.ts';
import { later } from './timers.ts';
import type { WidgetEvent, WidgetState } from './widget.ts';

/** The API for the page's scripts: options, widgets, and events. */

type OptionName =
  | 'sitekey'
  | 'puzzleEndpoint'
  | 'solutionField'
  | 'debug'
  | 'lang'
  | 'startMode'
  | 'displayMode'
  | 'theme'
  | 'branding'
  | 'privacyUrl'
  | 'styles'
  | 'storeVariable'
  | 'holdSubmit'
  | 'refreshExpired'
  | 'initCallback'
  | 'startedCallback'
  | 'finishedCallback'
  | 'erroredCallback'
  | 'resetCallback';

/** Options of `render` and `reset`: attributes in camelCase. They replace the element's attributes. */
export type Options = { readonly [name in OptionName]?: string | boolean };

/**
 * Sets the element's attributes.
 *
 * @param written gets the options that are set
 * @returns `written` @throws if a name is not in camelCase
 */
export function writeOptions(
  { dataset }: HTMLElement,
  options: Options | DOMStringMap | null | undefined,
  written: DOMStringMap = {},
): DOMStringMap {
  // The page may use `reset` as an event listener.
  if (options instanceof Event) return written;
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && value !== null) written[name] = dataset[name] = `${value}`;
  }
  return written;
}

type PageFunction = (...args: readonly unknown[]) => unknown;

/** @param path from `window`, such as `shop.captcha.done` @returns the function, bound to its owner */
export function functionAt(path: string): PageFunction | undefined {
  let owner: unknown;
  let found: unknown = window;
  for (const step of path.split('.')) {
    owner = found;
    found = (found as { readonly [name: string]: unknown } | undefined | null)?.[step];
  }
  return typeof found === 'function' ? found.bind(owner) : undefined;
}

/** A widget in the API for the page's scripts. */
export interface WidgetHandle {
  /** The payload; empty before the check is finished and after it expired. */
  solution(): string;
  /** Resets the widget. @param options replace the corresponding attributes */
  reset(options?: Options): void;
  /** Starts the check, as if the visitor activated the control. */
  execute(): void;
  element(): HTMLElement;
  state(): WidgetState['kind'];
}

/** The script's global variable. A test compares it with `postern.d.ts`. */
export interface PageApi {
  /** The first widget on the page. */
  readonly autoWidget: WidgetHandle | undefined;
  render(element: HTMLElement, options?: Options | null): WidgetHandle;
  setup(): void;
  start(element: HTMLElement): void;
  reset(element: HTMLElement): void;
}

/**
 * Dispatches the event `<prefix>:<kind>` on the element and calls the page's callback with the widget. The callback runs in a
 * separate task, so its exceptions do not affect the widget.
 */
export function emit(
  handle: WidgetHandle,
  prefix: string,
  { kind, ...more }: WidgetEvent | { readonly kind: 'init' },
): void {
  const element = handle.element();
  const detail = { widget: handle, element, ...more };
  element.dispatchEvent(new CustomEvent(`${prefix}:${kind}`, { bubbles: true, composed: true, detail }));
  // Some attributes are in the past tense, such as `data-started-callback`.
  const name = `${kind.replace(/start|finish|error/, '$&ed')}Callback`;
  const path = element.dataset[name];
  if (!path) return;
  const found = functionAt(path);
  if (found) later(0, () => found(handle));
  else report(element, name);
}
