import { done, type Outcome, reject } from '../lib/outcome.ts';

const NAME_MAX_LENGTH = 128;

/**
 * Maximum length of a name or a part of a name before normalization, in UTF-16 code units. The time of normalization grows with the
 * square of the number of marks on one letter. Enough for 128 code points that NFC composes from four code points each.
 */
const RAW_NAME_MAX_LENGTH = 512;

/** Whether a text is short enough to be normalized and compared with names. */
export function isNameSized(text: string): boolean {
  return text.length <= RAW_NAME_MAX_LENGTH;
}

export type NameProblem<Noun extends string> =
  | `${Noun}-name-empty`
  | `${Noun}-name-too-long`
  | `${Noun}-name-malformed`;

// Letters, marks, numbers, punctuation, symbols, and spaces. Excludes control, format, and private-use characters and line
// breaks; and angle brackets, which Unicode classifies as symbols.
const NAME = /^(?:(?![<>])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}])+$/u;

/**
 * Parses the name of an organization, a property, an API key, a user, or a rule: 1 to 128 code points, each a letter, mark, number,
 * punctuation, symbol, or space, but not an angle bracket.
 *
 * @param text may have whitespace around the name
 * @returns the name in Unicode NFC
 */
export function parseName<Noun extends 'organization' | 'property' | 'key' | 'account' | 'rule'>(
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
 * Folds the case of a name. Names are equal if they fold to the same text. The intermediate conversion to uppercase makes `ß` equal
 * to `ss`, and a final sigma equal to other sigmas, as in full case folding (The Unicode Standard, section 5.18).
 */
export function foldName(name: string): string {
  // NFC comes last, because some letters become two code points in uppercase and stay two in lowercase.
  return name.toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** Control and format characters and line separators, which can change how a terminal or a page shows the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** @returns the text with each invisible character replaced by U+FFFD */
export function replaceInvisible(text: string): string {
  return text.replace(INVISIBLE, '\ufffd');
}
