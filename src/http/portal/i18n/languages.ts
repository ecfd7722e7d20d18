import Negotiator from 'negotiator';

/** The portal's languages, by their BCP 47 tags, with their own names. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  ja: '日本語',
} as const;

export type Language = keyof typeof LANGUAGES;

const TAGS = Object.keys(LANGUAGES);

/** @returns the language with this tag; undefined if the portal does not have it */
export function languageOf(tag: string | undefined): Language | undefined {
  return tag !== undefined && isLanguage(tag) ? tag : undefined;
}

/** Maximum length of the header in characters. Browsers send less than 300, even with many languages. */
const MAX_HEADER = 1000;

/**
 * Chooses the portal's language that a browser prefers (RFC 9110, section 12.5.4).
 *
 * @returns English if there is no match, or if the header is longer than 1,000 characters
 */
export function negotiateLanguage(acceptLanguage: string | null): Language {
  if (acceptLanguage === null || acceptLanguage.length > MAX_HEADER) return 'en';
  const headers = { 'accept-language': acceptLanguage };
  return languageOf(new Negotiator({ headers }).language(TAGS)) ?? 'en';
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(LANGUAGES, tag);
}
