import { describe, expect, test } from 'bun:test';
import { CATALOGS } from '../../../../src/http/portal/i18n/catalogs.ts';
import { en } from '../../../../src/http/portal/i18n/en/index.ts';
import { LANGUAGES } from '../../../../src/http/portal/i18n/languages.ts';

/** The texts by their paths. */
function flat(texts: object, path = ''): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, text]: readonly [string, string | object]) =>
      typeof text === 'string' ? [[`${path}${key}`, text] as const] : [...flat(text, `${path}${key}.`)],
    ),
  );
}

/** The names of values and elements in a text, sorted. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/\{\{\w+\}\}|<\/?\w+>/g)].map(([name]) => name).toSorted();
}

/** The number of words, without values and elements. */
function wordsOf(text: string): number {
  return text.replace(/\{\{\w+\}\}|<\/?\w+>/g, ' ').match(/\p{L}+/gu)?.length ?? 0;
}

const english = flat(en);
const translated = Object.keys(LANGUAGES).filter((language) => language !== 'en');

describe('the English catalog', () => {
  test('has both forms of every plural', () => {
    const forms = (suffix: string) =>
      [...english.keys()].filter((key) => key.endsWith(suffix)).map((key) => key.slice(0, -suffix.length));
    expect(forms('_one').toSorted()).toEqual(forms('_other').toSorted());
  });

  test('closes every element that it opens', () => {
    const unbalanced = [...english].filter(([, text]) =>
      /<\/?\w+>/.test(text.replace(/<(\w+)>[^<]*<\/\1>/g, '')),
    );
    expect(unbalanced).toEqual([]);
  });
});

describe.each(translated)('the catalog %s', (language) => {
  const texts = flat(CATALOGS[language as keyof typeof CATALOGS]);

  test('has every text, and no other', () => {
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  });

  test('has no empty text', () => {
    expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test('has the values and the elements of the English texts', () => {
    const different = [...texts].filter(([key, text]) => {
      // A language can leave the number out of `one`, and all languages share the names of other values.
      const names = namesIn(english.get(key) ?? '');
      const own = namesIn(text);
      const isSame = Bun.deepEquals(own, names);
      return (
        !isSame &&
        !(key.endsWith('_one') && Bun.deepEquals([...own, '{{count}}'].toSorted(), names)) &&
        !(key.endsWith('_one') && Bun.deepEquals([...names, '{{count}}'].toSorted(), own))
      );
    });
    expect(different).toEqual([]);
  });

  test('translates every sentence', () => {
    const same = [...texts].filter(([key, text]) => text === english.get(key) && wordsOf(text) > 3);
    expect(same).toEqual([]);
  });
});
