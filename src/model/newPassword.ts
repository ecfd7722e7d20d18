import { done, type Outcome, reject } from '../lib/outcome.ts';
import { PASSWORD_LENGTH, parsePassword } from './account.ts';

export type NewPasswordProblem =
  | 'password-too-short'
  | 'password-too-long'
  | 'password-common'
  | 'password-guessable';

/** Facts about the user that an attacker may know. */
type PasswordContext = {
  readonly email: string;
  readonly organizationNames: readonly string[];
};

/** @returns whether a folded password is on the list of common passwords */
export type IsCommon = (folded: string) => boolean;

const PRODUCT_WORDS = ['postern', 'captcha'];
/** Shorter words occur in random passwords by chance. */
const WORD_MIN_LENGTH = 3;

/** Returns Unicode NFKC in lowercase, for comparing passwords with words. Passwords are hashed without folding. */
export function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Accepts a password that a user chooses (NIST SP 800-63B-4, section 3.1.1.2: a blocklist, no composition rules).
 *
 * @returns the password in NFC; rejected if it has fewer than 8 or more than 256 characters, is common, or repeats a short
 *   pattern, or if it is too short or common without the words of `context` and the product's name
 */
export function parseNewPassword(
  text: string,
  context: PasswordContext,
  isCommon: IsCommon,
): Outcome<string, NewPasswordProblem> {
  const accepted = parsePassword(text);
  if (!accepted.ok) return accepted;
  const folded = foldPassword(accepted.value);
  if (isWeak(folded, isCommon)) return reject('password-common');
  const rest = without(folded, toWords(context));
  return rest !== folded && isWeak(rest, isCommon) ? reject('password-guessable') : accepted;
}

function isWeak(folded: string, isCommon: IsCommon): boolean {
  const unit = repeatedUnitOf(folded);
  return [...unit].length < PASSWORD_LENGTH.min || isCommon(folded) || isCommon(unit);
}

/** @returns the shortest pattern whose repetition is the text; the text itself if it repeats nothing */
function repeatedUnitOf(text: string): string {
  return text.slice(0, text === '' ? 0 : `${text}${text}`.indexOf(text, 1));
}

function without(text: string, words: readonly string[]): string {
  return words.reduce((rest, word) => rest.replaceAll(word, ''), text);
}

/** Returns the folded words of the context, the longest first, so that `ann.smith` is removed before `ann`. */
function toWords({ email, organizationNames }: PasswordContext): readonly string[] {
  const [local = '', domain = ''] = foldPassword(email).split('@');
  // The last label is a top-level domain, which says nothing about the user.
  const labels = domain.split('.').slice(0, -1);
  const names = organizationNames.map(foldPassword);
  const whole = [`${local}@${domain}`, domain, local, ...names];
  const parts = [local, ...labels, ...names].flatMap((text) => [toLetters(text), ...toPieces(text)]);
  return [...new Set([...PRODUCT_WORDS, ...whole, ...parts])]
    .filter((word) => [...word].length >= WORD_MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length);
}

function toPieces(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u);
}

function toLetters(text: string): string {
  return toPieces(text).join('');
}

/** Describes the passphrases that `parsePassphrase` accepts. */
export const PASSPHRASE_RULE =
  'a passphrase of 12 to 1024 printable characters that does not start or end with a space';

/** Printable characters, and spaces that are not at the ends, where they would be invisible. */
const PASSPHRASE = /^\S\P{Cc}{10,1022}\S$/u;

/** @returns the passphrase of an encrypted backup, which can also be typed in a terminal */
export function parsePassphrase(text: string): Outcome<string, 'invalid'> {
  return PASSPHRASE.test(text) ? done(text) : reject('invalid');
}
