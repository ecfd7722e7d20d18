/** @returns the absolute URL; undefined if it is invalid */
export function urlOf(text: string, base: string = document.baseURI): string | undefined {
  try {
    return new URL(text, base).href;
  } catch {
    return undefined;
  }
}
