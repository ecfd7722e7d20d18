import { functionAt } from '../options.ts';

/** Options of a vendor's `render`; the names have no prefix. */
export type VendorOptions = { readonly [name: string]: unknown };

/** The options of one widget. */
export type OptionReader = {
  /** @returns the option, or the element's attribute `data-<name>`; empty if both are missing */
  readonly text: (name: string) => string;
  /** Calls the page's function, if there is one. @returns its result; undefined if it throws, which the browser reports */
  readonly call: (name: string, ...values: readonly unknown[]) => unknown;
  readonly has: (name: string) => boolean;
};

/** Options that are undefined, null, or empty count as missing, because wrappers pass all of their properties. */
export function createOptionReader(element: HTMLElement, options: VendorOptions): OptionReader {
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
      // A later script may define the function. The name of a global may contain periods.
      const found = typeof value === 'string' ? (Reflect.get(window, value) ?? functionAt(value)) : value;
      try {
        return typeof found === 'function' ? found(...values) : undefined;
      } catch (error) {
        reportException(error);
        return undefined;
      }
    },
    has: (name) => Boolean(find(name)),
  };
}

/** Lets the browser report an error as an uncaught exception, with its message even if the page is on another origin. */
export function reportException(error: unknown): void {
  // Safari before 15.4 does not support `reportError`.
  if (typeof reportError === 'function') reportError(error);
  else
    setTimeout(() => {
      throw error;
    });
}
