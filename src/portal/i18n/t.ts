import { createInstance } from 'i18next';
import { type Catalog, catalogOf } from './catalog.ts';
import type { Language } from './languages.ts';
import { perLanguage } from './pageContext.ts';

/** The paths of all strings in the catalog, with the suffixes of plurals. */
type Paths<Texts, Path extends string = ''> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? `${Path}${Key}`
    : Paths<Texts[Key], `${Path}${Key}.`>;
}[keyof Texts & string];

type Singular<Path extends string> = Path extends `${infer Name}_${'one' | 'other'}` ? Name : Path;
type Plural<Path extends string> = Path extends `${infer Name}_other` ? Name : never;

/** The name of a text: the path in the catalog. A plural has the name without its suffix. */
export type TextKey = Singular<Paths<Catalog>>;

type Values = Readonly<Record<string, string | number>>;

type Arguments<Key> =
  Key extends Plural<Paths<Catalog>> ? [values: Values & { readonly count: number }] : [values?: Values];

const instance = perLanguage(createInstanceFor);

/**
 * The text in the language of the current request, with its values inserted. JSX escapes it. The types check the key and `count`; a test
 * checks the other values, because the type of a JSON file does not contain its texts.
 *
 * A plural needs the value `count`, which chooses the form by the rules of the language (CLDR). Not for constants of modules, because
 * these have no request.
 */
export function t<Key extends TextKey>(key: Key, ...[values]: Arguments<Key>): string {
  return translate(key, { ...values });
}

/** The text with its `{{names}}` in place. @param count chooses the form of a plural */
export function template(key: TextKey, count?: number): string {
  return translate(key, { skipInterpolation: true, ...(count !== undefined && { count }) });
}

/** Whether the catalog has a text with this name that is not a plural. */
export function hasText(key: string): boolean {
  return instance().exists(key);
}

function translate(key: string, options: Readonly<Record<string, unknown>>): string {
  // The package's types would check each text again, which takes the compiler a minute.
  return (instance().t as (key: string, options: object) => string)(key, options);
}

function createInstanceFor(language: Language) {
  const i18n = createInstance({
    lng: language,
    fallbackLng: false,
    initAsync: false,
    interpolation: { escapeValue: false },
    resources: { [language]: { translation: catalogOf(language) } },
  });
  // Without a backend and with `initAsync: false`, the texts are ready when this call returns.
  void i18n.init();
  return i18n;
}
