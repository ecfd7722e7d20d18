/** Functions that several vendors' widgets share. */
import type { Field } from '../field.ts';
import type { OptionReader } from './vendorOptions.ts';

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
