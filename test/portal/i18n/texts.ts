import { widgetLanguages } from '../../../build/bundle.ts';
import { catalogOf } from '../../../src/portal/i18n/catalog.ts';
import { LANGUAGES, type Language } from '../../../src/portal/i18n/languages.ts';
import { ENGLISH, RARE_ENGLISH } from '../../../src/widget/i18n.ts';

const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** Texts by their paths, such as `account.signIn.title`. */
export type FlatTexts = ReadonlyMap<string, string>;

/** English texts and their translations. */
export type Translations = {
  readonly english: FlatTexts;
  /** By language tag. */
  readonly others: Readonly<Record<string, FlatTexts>>;
};

/** @returns the texts by their paths */
export function flat(texts: object, path = ''): FlatTexts {
  return new Map(
    Object.entries(texts).flatMap(([key, text]: readonly [string, string | object]) =>
      typeof text === 'string' ? [[`${path}${key}`, text] as const] : [...flat(text, `${path}${key}.`)],
    ),
  );
}

/** @returns the name of a plural without its form; undefined for other texts */
export function pluralOf(english: FlatTexts, key: string): string | undefined {
  const [, name, form = ''] = /^(.+)_([a-z]+)$/.exec(key) ?? [];
  return FORMS.includes(form) && english.has(`${name}_other`) ? name : undefined;
}

/** @returns the English text that a text translates; empty if there is none */
export function originalOf(english: FlatTexts, key: string): string {
  return english.get(key) ?? english.get(`${pluralOf(english, key)}_other`) ?? '';
}

/** @returns the texts of the portal */
export function portalTexts(): Translations {
  const [, ...others] = Object.keys(LANGUAGES) as Language[];
  return {
    english: flat(catalogOf('en')),
    others: Object.fromEntries(others.map((tag) => [tag, flat(catalogOf(tag))])),
  };
}

/** @returns the texts of the widget */
export function widgetTexts(): Translations {
  const table = JSON.parse(widgetLanguages()) as Readonly<Record<string, { readonly texts: object }>>;
  return {
    english: flat({ ...ENGLISH.texts, ...RARE_ENGLISH }),
    others: Object.fromEntries(Object.entries(table).map(([tag, { texts }]) => [tag, flat(texts)])),
  };
}
