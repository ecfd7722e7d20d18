import type { Field } from '../field.ts';
import { functionAt } from '../pageApi.ts';

/** The options of a vendor's `render`. Their names have no `data-` prefix. */
export type VendorOptions = { readonly [name: string]: unknown };

/** The options of one widget. */
export type OptionReader = {
  /** @returns the option or, if it is missing, the element's attribute `data-<name>`; empty if both are missing */
  readonly text: (name: string) => string;
  /** Calls the page's function, if there is one. @returns its result; undefined if it throws. The browser reports the exception */
  readonly call: (name: string, ...values: readonly unknown[]) => unknown;
  readonly has: (name: string) => boolean;
};

/**
 * Treats options that are undefined, null, or empty as missing, because components pass all of their properties.
 *
 * @param self returns `this` of the page's functions
 */
export function createOptionReader(
  element: HTMLElement,
  options: VendorOptions,
  self: () => unknown,
): OptionReader {
  const find = (name: string): unknown => {
    const option = options[name];
    return option === undefined || option === null || option === ''
      ? element.getAttribute(`data-${name}`)
      : option;
  };
  return {
    text(name) {
      const value = find(name);
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : '';
    },
    call(name, ...values) {
      const value = find(name);
      // Looked up for each call, because a later script may define the function. A global's name can contain periods.
      const found = typeof value === 'string' ? (Reflect.get(window, value) ?? functionAt(value)) : value;
      try {
        return typeof found === 'function' ? found.apply(self(), values) : undefined;
      } catch (error) {
        reportException(error);
        return undefined;
      }
    },
    has: (name) => Boolean(find(name)),
  };
}

/** Makes the browser report an error as an uncaught exception. */
export function reportException(error: unknown): void {
  // Safari before 15.4 does not support `reportError`.
  if (typeof reportError === 'function') reportError(error);
  else
    setTimeout(() => {
      throw error;
    });
}

/** @returns a function that creates a hidden text area, because pages and plugins look for one with the vendor's name */
export function createTextarea(name: string): () => Field {
  return () => {
    const field = document.createElement('textarea');
    field.className = field.name = name;
    field.style.display = 'none';
    return field;
  };
}

/** Sets the page's theme or, if it is missing or unsupported, the vendor's default. */
export function setTheme(options: OptionReader, inner: HTMLElement, defaultTheme: string): void {
  const theme = options.text('theme');
  inner.dataset.theme = ['light', 'dark', 'auto'].includes(theme) ? theme : defaultTheme;
}

/** Hides the widget and lets only the page start its check. */
export function setInvisible(inner: HTMLElement): void {
  Object.assign(inner.dataset, { displayMode: 'hidden', startMode: 'click', holdSubmit: 'false' });
}
