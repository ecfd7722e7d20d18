import { done, type Outcome, reject } from '../lib/outcome.ts';

/** Describes the passphrases that `parsePassphrase` accepts. */
export const PASSPHRASE_RULE =
  'a passphrase of 12 to 1024 printable characters that does not start or end with a space';

/** Printable characters, and spaces that are not at the ends, where they would be invisible. */
const PASSPHRASE = /^\S\P{Cc}{10,1022}\S$/u;

/** @returns the passphrase of an encrypted backup, which can also be typed in a terminal */
export function parsePassphrase(text: string): Outcome<string, 'invalid'> {
  return PASSPHRASE.test(text) ? done(text) : reject('invalid');
}
