import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { widgetLanguages } from '../../bundle.ts';
import { ENGLISH, languageFor, type Texts } from '../../src/widget/i18n.ts';

type Entry = { readonly name: string; readonly dir: string; readonly texts: Texts };

const TABLE = JSON.parse(widgetLanguages()) as Readonly<Record<string, Entry>>;
const TAGS = Object.keys(TABLE);

/** All texts by key. */
function flat(texts: Texts): Readonly<Record<string, string>> {
  const { problems, ...others } = texts;
  return { ...others, ...problems };
}

const english = flat(ENGLISH.texts);

/** ICU scripts that consist of several Unicode scripts. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Jpan: '\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|ー',
  Kore: '\\p{Script=Hangul}',
  Hans: '\\p{Script=Han}',
  Hant: '\\p{Script=Han}',
};

const scriptOf = (tag: string) => new Intl.Locale(tag).maximize().script ?? '';

describe('language lookup', () => {
  test.each([
    ['an exact match', ['de'], 'de'],
    ['a match without the region', ['de-AT'], 'de'],
    ['uppercase', ['DE'], 'de'],
    ['European Portuguese', ['pt'], 'pt'],
    ['Portuguese of Angola', ['pt-AO'], 'pt'],
    ['Portuguese of Brazil', ['pt-br'], 'pt-BR'],
    ['Chinese', ['zh'], 'zh'],
    ['Chinese of Singapore', ['zh-SG'], 'zh'],
    ['simplified Chinese of Hong Kong', ['zh-Hans-HK'], 'zh'],
    ['traditional Chinese, by script and region', ['zh-Hant-TW'], 'zh-Hant'],
    ['traditional Chinese, by region', ['zh-TW'], 'zh-Hant'],
    ['traditional Chinese of Hong Kong', ['zh-HK'], 'zh-Hant'],
    ['traditional Chinese of Macao', ['zh-MO'], 'zh-Hant'],
    ['Serbian', ['sr-RS'], 'sr'],
    ['Serbian in Cyrillic script', ['sr-Cyrl-RS'], 'sr'],
    ['Serbian in Latin script', ['sr-Latn-RS'], 'sr-Latn'],
    ['Norwegian', ['no'], 'nb'],
    ['Nynorsk', ['nn-NO'], 'nb'],
    ['the obsolete tag of Hebrew', ['iw'], 'he'],
    ['the obsolete tag of Indonesian', ['in-ID'], 'id'],
    ['an extension', ['fr-u-nu-latn'], 'fr'],
    ['private use', ['fr-x-shop'], 'fr'],
    ['English', ['en'], 'en'],
    ['British English before a less preferred language', ['en-GB', 'de'], 'en'],
    ['the second tag if the first has no match', ['tlh', 'fr-CA'], 'fr'],
    ['the second tag if the first is empty', ['', 'ja'], 'ja'],
    ['no tags', [], 'en'],
    ['tags without a match', ['tlh', 'i-klingon', 'x-none'], 'en'],
    ['invalid tags', ['constructor', '__proto__', '-', '--', 'de_AT', '💥'], 'en'],
  ])('%s', (_, wanted, found) => {
    expect(languageFor(wanted, TAGS)).toBe(found);
  });
});

describe('the table of languages', () => {
  test('has more than 60 languages other than English, sorted by tag', () => {
    expect(TAGS.length).toBeGreaterThan(60);
    expect(TAGS).toEqual([...TAGS].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    expect(TAGS).not.toContain('en');
    expect(Intl.getCanonicalLocales(TAGS)).toEqual(TAGS);
    expect(new Set(Object.values(TABLE).map(({ name }) => name)).size).toBe(TAGS.length);
  });

  test('is listed in docs/reference/widget.md', async () => {
    const docs = await Bun.file(join(import.meta.dir, '../../docs/reference/widget.md')).text();
    const list = Object.entries(TABLE).map(([tag, { name }]) => `${name} \`${tag}\``);
    expect(docs.replace(/\s+/g, ' ')).toContain(
      `and ${TAGS.length} other languages: ${list.join(', ')}. With`,
    );
  });

  test('has right-to-left languages', () => {
    expect(TAGS.filter((tag) => TABLE[tag]?.dir === 'rtl')).toEqual(['ar', 'fa', 'he', 'ur']);
  });
});

describe.each(TAGS)('the texts in %s', (tag) => {
  const { name, dir, texts } = TABLE[tag] as Entry;
  const own = flat(texts);
  const all = Object.values(own);

  test('have the same keys as the English ones', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(ENGLISH.texts));
    expect(Object.keys(texts.problems)).toEqual(Object.keys(ENGLISH.texts.problems));
    expect(Object.keys(TABLE[tag] ?? {})).toEqual(['name', 'dir', 'texts']);
  });

  test('are all translated', () => {
    expect(Object.keys(own).filter((key) => own[key] === english[key])).toEqual([]);
  });

  test('have the script and the direction of the language', () => {
    const script = scriptOf(tag);
    const letters = new RegExp(`^(?:${SCRIPTS[script] ?? `\\p{Script=${script}}`})$`, 'u');
    for (const text of [name.replace(/\(.*\)/, ''), ...all]) {
      const foreign = [...text].filter((sign) => /\p{Letter}/u.test(sign) && !letters.test(sign));
      expect([text, foreign]).toEqual([text, []]);
    }
    expect(dir).toBe(['Arab', 'Hebr'].includes(script) ? 'rtl' : 'ltr');
  });

  test('use correct typography', () => {
    for (const text of [name, ...all]) {
      expect(text).toBe(text.normalize('NFC').trim());
      expect(text).not.toMatch(/\.\.|["']| {2}|[<>{}&]|undefined/);
    }
    expect(texts.solving).toEndWith('…');
  });

  test('are sentences if the English ones are', () => {
    // Thai has no full stop.
    const stop = tag === 'th' ? /\p{Letter}\p{Mark}*$/u : /[.。।۔։]$/;
    for (const text of Object.values(texts.problems)) expect(text).toMatch(stop);
    for (const key of ['label', 'idle', 'progress', 'verified', 'expired'] as const) {
      expect(texts[key]).not.toMatch(/[.。।۔։]$/);
    }
    expect(texts.reason).toMatch(/[:：՝]$/);
  });

  test('are short', () => {
    expect(texts.label.length).toBeLessThanOrEqual(30);
    expect(texts.progress.length).toBeLessThanOrEqual(40);
    expect(texts.verified.length).toBeLessThanOrEqual(25);
    for (const text of [texts.idle, texts.solving, texts.expired])
      expect(text.length).toBeLessThanOrEqual(60);
    for (const text of Object.values(texts.problems)) expect(text.length).toBeLessThanOrEqual(180);
  });
});
