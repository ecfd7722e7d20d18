import { done, type Outcome, reject } from '../lib/outcome.ts';

const NAME_MAX_LENGTH = 128;

/**
 * UTF-16 code units of a name or a part of one before normalization, whose time grows with the square of the marks on one
 * letter. Enough for 128 code points that NFC composes from four each.
 */
const RAW_NAME_MAX_LENGTH = 512;

/** @returns whether the text is short enough to be normalized and compared with names */
export function isNameSized(text: string): boolean {
  return text.length <= RAW_NAME_MAX_LENGTH;
}

export type NameProblem<Noun extends string> =
  | `${Noun}-name-empty`
  | `${Noun}-name-too-long`
  | `${Noun}-name-malformed`;

// Letters, marks, numbers, punctuation, symbols and spaces; so no control, format or private-use
// characters, no line breaks. The angle brackets are symbols to Unicode and refused here.
const NAME = /^(?:(?![<>])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}])+$/u;

/**
 * The rule for names of organizations, properties, API keys and people.
 *
 * @param text trimmed and brought to Unicode NFC first
 * @returns the name in NFC; refused when empty, over 128 code points, or with a character that is no
 *   letter, mark, number, punctuation, symbol or space, or one of `<>`. Over 512 UTF-16 code units, `too-long` without
 *   normalization
 */
export function parseName<Noun extends 'organization' | 'property' | 'key' | 'account'>(
  noun: Noun,
  text: string,
): Outcome<string, NameProblem<Noun>> {
  const trimmed = text.trim();
  if (!isNameSized(trimmed)) return reject(`${noun}-name-too-long`);
  const name = trimmed.normalize('NFC');
  if (name === '') return reject(`${noun}-name-empty`);
  if ([...name].length > NAME_MAX_LENGTH) return reject(`${noun}-name-too-long`);
  if (!NAME.test(name)) return reject(`${noun}-name-malformed`);
  return done(name);
}

/**
 * Names that fold to the same text are the same name. To capitals and back again: so `ß` is `ss`, and a sigma a sigma, as
 * in Unicode's full case folding (The Unicode Standard, section 5.18).
 */
export function foldName(name: string): string {
  // NFC last: the capitals of some letters are in two pieces, and so is what they become.
  return name.toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
