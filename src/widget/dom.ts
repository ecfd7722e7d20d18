/** Functions of the browser that may fail, because the URL is invalid, or because the browser does not support them. */

/** @returns the absolute URL; undefined if it is invalid */
export function urlOf(text: string, base: string = document.baseURI): string | undefined {
  try {
    return new URL(text, base).href;
  } catch {
    return undefined;
  }
}

/**
 * Adds a style sheet to a shadow root, which no content security policy blocks.
 *
 * @returns whether the browser supports constructable style sheets
 */
export function adoptStyles(root: ShadowRoot, styles: string): boolean {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    // Throws if the browser does not support it.
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return true;
  } catch {
    return false;
  }
}
