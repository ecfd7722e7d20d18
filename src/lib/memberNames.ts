/** Maximum length of a name in an error message, in UTF-16 code units. */
const QUOTED_LENGTH = 40;

/**
 * Characters other than letters, marks, numbers, punctuation, symbols, and the space: they are invisible, or can change how a terminal or
 * a page shows the text around them.
 */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/**
 * Quotes client input for use in an error message.
 *
 * @returns the first 40 characters as a JSON string that is safe to print: `"color"`, `"a\u202eb"`; at most 245 characters
 */
export function quoted(text: string): string {
  const start = text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}...` : text;
  return JSON.stringify(start.toWellFormed()).replace(UNPRINTABLE, escaped);
}

/** @returns the escape sequences of JSON for a character */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * Finds the members of an object that are not part of its format. Every parser that rejects unknown members uses it, so that each message
 * names the member.
 *
 * @returns their names, quoted
 */
export function* unknownMembers(value: object, known: readonly string[]): Generator<string, void> {
  for (const name of Object.keys(value)) if (!known.includes(name)) yield quoted(name);
}
