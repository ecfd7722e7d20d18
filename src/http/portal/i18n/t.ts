import { createInstance } from 'i18next';
import { CATALOGS } from './catalogs.ts';
import type { en } from './en/index.ts';
import type { Language } from './languages.ts';
import { perLanguage } from './pageContext.ts';
import { withPluralForms } from './plurals.ts';

/** The name of a text: the path in the catalog. A plural has the name without its suffix. */
export type TextKey = KeysOf<typeof en>;

type KeysOf<Texts, Path extends string = ''> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? `${Path}${Singular<Key>}`
    : KeysOf<Texts[Key], `${Path}${Key}.`>;
}[keyof Texts & string];

type Singular<Key extends string> = Key extends `${infer Name}_${'one' | 'other'}` ? Name : Key;

/** The text at a path. */
type TextAt<Texts, Key extends string> = Key extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Texts
    ? TextAt<Texts[Head], Rest>
    : never
  : Key extends keyof Texts
    ? Texts[Key]
    : `${Key}_other` extends keyof Texts
      ? Texts[`${Key}_other`] | '{{count}}'
      : never;

/** The names in `{{…}}` in a text. */
type NamesIn<Text> = Text extends `${string}{{${infer Name}}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type Names<Key extends TextKey> = NamesIn<TextAt<typeof en, Key>>;

type Arguments<Key extends TextKey> = [Names<Key>] extends [never]
  ? []
  : [values: Readonly<{ [Name in Names<Key>]: Name extends 'count' ? number : string | number }>];

const translator = perLanguage(createTranslate);

/**
 * The text in the language of the current request, with its values inserted. JSX escapes it.
 *
 * A plural needs the value `count`, which chooses the form by the rules of the language (CLDR). Not for constants of modules, because
 * these have no request.
 */
export function t<Key extends TextKey>(key: Key, ...[values]: Arguments<Key>): string {
  return translator()(key, { ...values });
}

/** The text with its `{{names}}` in place. @param count chooses the form of a plural */
export function template(key: TextKey, count?: number): string {
  return translator()(key, {
    skipInterpolation: true,
    ...(count !== undefined && { count }),
  });
}

type Translate = (key: string, options: Readonly<Record<string, unknown>>) => string;

function createTranslate(language: Language): Translate {
  const i18n = createInstance({
    lng: language,
    fallbackLng: false,
    initAsync: false,
    interpolation: { escapeValue: false },
    resources: { [language]: { translation: withPluralForms(language, CATALOGS[language]) } },
  });
  // Without a backend and with `initAsync: false`, the texts are ready when this call returns.
  void i18n.init();
  // The package's types would check each text again, which takes the compiler a minute.
  return i18n.t as Translate;
}
