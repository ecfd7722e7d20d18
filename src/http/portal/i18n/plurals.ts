/**
 * Adds the plural forms that a language has in addition to `one` and `other` (CLDR): French, Spanish, and Portuguese have `many` for
 * millions, with the same text as `other`.
 *
 * @returns a copy of the texts
 */
export function withPluralForms(language: string, texts: object): object {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const extra = forms.filter((form) => form !== 'one' && form !== 'other');
  const entries = Object.entries(texts).flatMap(([key, text]: readonly [string, string | object]) => {
    if (typeof text !== 'string') return [[key, withPluralForms(language, text)]];
    const name = /^(.+)_other$/.exec(key)?.[1];
    return [[key, text], ...(name === undefined ? [] : extra.map((form) => [`${name}_${form}`, text]))];
  });
  return Object.fromEntries(entries);
}
