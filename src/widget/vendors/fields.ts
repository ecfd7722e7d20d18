/** Shared parts of the vendors' widgets. */
import type { Field } from '../mount.ts';
import type { OptionReader } from './vendorOptions.ts';

/** Pages and plugins look for a text area with the vendor's name. */
export function createTextarea(name: string): () => Field {
  return () => {
    const field = document.createElement('textarea');
    field.className = name;
    field.style.display = 'none';
    return field;
  };
}

/** Sets a theme that the widget knows; otherwise, the vendor's default applies. */
export function setTheme(options: OptionReader, inner: HTMLElement, byDefault: string): void {
  const theme = options.text('theme');
  inner.dataset.theme = ['light', 'dark', 'auto'].includes(theme) ? theme : byDefault;
}

/** Hides a widget that the page starts itself. */
export function setInvisible(inner: HTMLElement): void {
  Object.assign(inner.dataset, { displayMode: 'hidden', startMode: 'click', holdSubmit: 'false' });
}
