/** Maximum length of a path that is parsed. */
const PAGE_PATH_MAX_LENGTH = 2048;

/**
 * Returns the path of a page as rules see it: without query and fragment, with dot segments resolved, and with the characters that
 * browsers percent-encode. Undefined if the text is too long or does not start with exactly one slash.
 */
export function parsePagePath(text: string): string | undefined {
  if (text.length > PAGE_PATH_MAX_LENGTH || !/^\/(?![/\\])/.test(text)) return undefined;
  return URL.parse(text, 'http://localhost')?.pathname;
}
