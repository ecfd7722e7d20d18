import Negotiator from 'negotiator';

/**
 * The portal's languages, by their BCP 47 tags, with their own names. A file is embedded in the executable, and evaluated when its
 * language is first used; an `import` would evaluate all files at startup.
 */
export const LANGUAGES = {
  en: { name: 'English', texts: () => require('../../../static/portal/en.json') },
  de: { name: 'Deutsch', texts: () => require('../../../static/portal/de.json') },
  fr: { name: 'Français', texts: () => require('../../../static/portal/fr.json') },
  es: { name: 'Español', texts: () => require('../../../static/portal/es.json') },
  pt: { name: 'Português (Brasil)', texts: () => require('../../../static/portal/pt.json') },
  ja: { name: '日本語', texts: () => require('../../../static/portal/ja.json') },
} as const;

export type Language = keyof typeof LANGUAGES;

const TAGS = Object.keys(LANGUAGES);

/** @returns the language with this tag; undefined if the portal does not have it */
export function languageOf(tag: string | undefined): Language | undefined {
  return tag !== undefined && isLanguage(tag) ? tag : undefined;
}

/** @returns the widget's language for pages in a language; the portal's Portuguese is Brazilian */
export function widgetLanguageOf(language: Language): string {
  return language === 'pt' ? 'pt-BR' : language;
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
