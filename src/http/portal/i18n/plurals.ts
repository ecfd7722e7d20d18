/**
 * Adds the plural forms that a language has in addition to `one` and `other` (CLDR): French, Spanish, and Portuguese have `many` for
 * millions, with the same text as `other`.
 *
 * @returns a copy of the texts
 */
export function withPluralForms(language: string, texts: object): object {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  return withForms(
    forms.filter((form) => form !== 'one' && form !== 'other'),
    texts,
  );
}

function withForms(extra: readonly string[], texts: object): object {
  const entries = Object.entries(texts).flatMap(([key, text]: readonly [string, string | object]) => {
    if (typeof text !== 'string') return [[key, withForms(extra, text)]];
    const name = /^(.+)_other$/.exec(key)?.[1];
    return [[key, text], ...(name === undefined ? [] : extra.map((form) => [`${name}_${form}`, text]))];
  });
  return Object.fromEntries(entries);
}
