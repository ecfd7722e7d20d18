import { type Language, languageOf, negotiateLanguage } from '../i18n/languages.ts';

const THEMES = ['auto', 'light', 'dark'] as const;

/** The colors of the pages. `auto` follows the browser. */
export type Theme = (typeof THEMES)[number];

export type Preferences = { readonly language: Language; readonly theme: Theme };

/** @returns the theme with this name; undefined if there is none */
export function themeOf(name: string | undefined): Theme | undefined {
  return THEMES.find((theme) => theme === name);
}

/**
 * The preferences for a request.
 *
 * @param stored the value of the cookie: language and theme, separated by a space
 * @param acceptLanguage the header of the request, which decides if the cookie does not
 */
export function preferencesFrom(stored: string | undefined, acceptLanguage: string | null): Preferences {
  const [language, theme] = stored?.split(' ') ?? [];
  return {
    language: languageOf(language) ?? negotiateLanguage(acceptLanguage),
    theme: themeOf(theme) ?? 'auto',
  };
}
