/** Set by `bundle.ts`: a pattern for the path in the script's URL. */
declare const POSTERN_PATH: string;

/** The URL of this script; empty if it is unknown, for example because the page bundles the script. */
export const scriptUrl = findScriptUrl();

/** `document.currentScript` is null in modules. */
function findScriptUrl(): string {
  // An image with the name `currentScript` overrides the property.
  const { currentScript } = document;
  if (currentScript instanceof HTMLScriptElement) return currentScript.src;
  const scripts = [...document.querySelectorAll<HTMLScriptElement>('script[src]')].map(({ src }) => src);
  // A module that another module imports has no element, and browsers record only the first 250 files that a page loads.
  const loaded = performance.getEntries().map(({ name }) => name);
  const called = new Error().stack?.match(/\w+:\/\/.+?(?=:\d+:\d+)/g) ?? [];
  return [...called, ...scripts, ...loaded].find(isOurs) ?? '';
}

/** @returns whether the URL has the path of this script */
export function isOurs(url: string): boolean {
  return new RegExp(POSTERN_PATH).test(url);
}
