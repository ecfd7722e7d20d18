import { domainToASCII, domainToUnicode } from 'node:url';
import { type Brand, done, type Outcome, reject } from '../lib/outcome.ts';

/**
 * An email address in the canonical form, which is stored and compared: in lowercase and NFC, with the domain in Unicode. Only
 * `parseEmail` creates it.
 */
export type Email = Brand<string, 'Email'>;

export type EmailProblem = 'email-malformed' | 'email-domain-malformed';

/** A user who keeps a spelling, because another user has its canonical form. */
export type KeptSpelling = { readonly email: string; readonly canonical: string };

/** Maximum length of an email address in characters, before normalization (RFC 5321, section 4.5.3.1.3). */
const EMAIL_MAX_LENGTH = 254;
/** The part before the `@`, and the domain. */
const EMAIL = /^([^\s@<>"(),:;[\]\\]{1,64})@([^\s@<>"(),:;[\]\\]{1,189})$/;
/** Control, format, private-use, and unassigned characters, which are invisible or control a terminal. */
const INVISIBLE = /\p{C}/u;
/** ZWNJ and ZWJ, which domains in some scripts contain (RFC 5892, appendix A). */
const JOINERS = /[\u200c\u200d]/g;

/** A domain whose Unicode and ASCII forms may differ. Other domains are only converted to lowercase. */
const INTERNATIONAL_DOMAIN = /[^\0-\x7f]|(?:^|\.)xn--/;
/** Characters that the URL parser decodes, or that end a host in a URL. */
const NOT_IN_HOST = /[%/?#]/;
const LABEL_MAX_LENGTH = 63;
const LATIN = /\p{Script=Latin}/u;
/** Scripts that are written together with Latin letters and cannot be mistaken for them. */
const WRITTEN_WITH_LATIN =
  /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]*$/u;

/**
 * Parses an email address of the form `local@domain`. The parts have at most 64 and 189 characters, the address at most 254, both with
 * the domain in Unicode and in ASCII. Invisible characters are rejected.
 *
 * @param text may have whitespace around the address; the domain in Unicode or ASCII, because browsers send ASCII (UTS 46, Punycode)
 * @returns the canonical form
 */
export function parseEmail(text: string): Outcome<Email, EmailProblem> {
  const [, local, domain] = EMAIL.exec(toLowercase(text) ?? '') ?? [];
  if (local === undefined || domain === undefined) return reject('email-malformed');
  if (INVISIBLE.test(local) || INVISIBLE.test(domain.replace(JOINERS, ''))) return reject('email-malformed');
  if (!INTERNATIONAL_DOMAIN.test(domain)) return done(`${local}@${domain}` as Email);
  const ascii = toAsciiDomain(domain);
  if (ascii === undefined) return reject('email-domain-malformed');
  if (!EMAIL.test(`${local}@${ascii}`)) return reject('email-malformed');
  return done(`${local}@${toShownDomain(ascii)}` as Email);
}

/**
 * Returns the spellings under which the user of an entered address is stored, the preferred one first: the entered spelling, which a
 * user keeps if the canonical form belonged to another user when it was introduced, and then the canonical form.
 *
 * @returns an empty list if the text is not an email address
 */
export function toSpellings(text: string): readonly Email[] {
  const entered = toLowercase(text);
  if (entered === undefined || !EMAIL.test(entered) || INVISIBLE.test(entered.replace(JOINERS, '')))
    return [];
  const parsed = parseEmail(entered);
  return [...new Set([entered as Email, ...(parsed.ok ? [parsed.value] : [])])];
}

/** @returns the texts that a search for this text matches: the text, and the spellings of the address if it is one */
export function toSearchTexts(text: string): readonly string[] {
  const parsed = parseEmail(text);
  return [...new Set([text, ...(parsed.ok ? [parsed.value, toAsciiEmail(parsed.value)] : [])])];
}

/** @returns the address with the domain in ASCII, for other systems */
export function toAsciiEmail(email: Email): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  return `${email.slice(0, at)}@${INTERNATIONAL_DOMAIN.test(domain) ? domainToASCII(domain) : domain}`;
}

/** @returns undefined if the text is too long */
function toLowercase(text: string): string | undefined {
  const trimmed = text.trim();
  // Some letters are longer in lowercase, and not in NFC.
  return trimmed.length > EMAIL_MAX_LENGTH
    ? undefined
    : trimmed.normalize('NFC').toLowerCase().normalize('NFC');
}

/** @returns undefined if the domain is invalid (UTS 46 as in URLs) or has a label that is too long */
function toAsciiDomain(domain: string): string | undefined {
  if (NOT_IN_HOST.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  const isValid = ascii !== '' && ascii.split('.').every((label) => label.length <= LABEL_MAX_LENGTH);
  return isValid ? ascii : undefined;
}

/**
 * Converts each label to Unicode, unless it contains invisible characters, or mixes Latin letters with letters of a script that look like
 * them.
 */
function toShownDomain(ascii: string): string {
  const labels = ascii.split('.').map((label) => {
    if (!label.startsWith('xn--')) return label;
    const unicode = domainToUnicode(label);
    const isMixed = LATIN.test(unicode) && !WRITTEN_WITH_LATIN.test(unicode);
    return INVISIBLE.test(unicode) || isMixed || domainToASCII(unicode) !== label ? label : unicode;
  });
  return labels.join('.');
}
