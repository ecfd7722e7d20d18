import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { widgetLanguages } from '../../bundle.ts';
import { ENGLISH, languageFor, type Texts } from '../../src/widget/i18n.ts';

type Entry = { readonly name: string; readonly dir: string; readonly texts: Texts };

const TABLE = JSON.parse(widgetLanguages()) as Readonly<Record<string, Entry>>;
const TAGS = Object.keys(TABLE);

/** Every text by the path of its key. */
function flat(texts: Texts): Readonly<Record<string, string>> {
  const { problems, ...others } = texts;
  return { ...others, ...problems };
}

const english = flat(ENGLISH.texts);

/** How ICU calls the scripts that are several ones in Unicode. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Jpan: '\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|ー',
  Kore: '\\p{Script=Hangul}',
  Hans: '\\p{Script=Han}',
  Hant: '\\p{Script=Han}',
};

const scriptOf = (tag: string) => new Intl.Locale(tag).maximize().script ?? '';

describe('the nearest language', () => {
  test.each([
    ['as it is', ['de'], 'de'],
    ['without its region', ['de-AT'], 'de'],
    ['in capitals', ['DE'], 'de'],
    ['European Portuguese', ['pt'], 'pt'],
    ['Portuguese of Angola', ['pt-AO'], 'pt'],
    ['Portuguese of Brazil', ['pt-br'], 'pt-BR'],
    ['Chinese', ['zh'], 'zh'],
    ['Chinese of Singapore', ['zh-SG'], 'zh'],
    ['simplified Chinese, of Hong Kong', ['zh-Hans-HK'], 'zh'],
    ['traditional Chinese, by script and region', ['zh-Hant-TW'], 'zh-Hant'],
    ['traditional Chinese, by region', ['zh-TW'], 'zh-Hant'],
    ['traditional Chinese of Hong Kong', ['zh-HK'], 'zh-Hant'],
    ['traditional Chinese of Macao', ['zh-MO'], 'zh-Hant'],
    ['Serbian', ['sr-RS'], 'sr'],
    ['Serbian in Cyrillic letters', ['sr-Cyrl-RS'], 'sr'],
    ['Serbian in Latin letters', ['sr-Latn-RS'], 'sr-Latn'],
    ['Norwegian', ['no'], 'nb'],
    ['Nynorsk', ['nn-NO'], 'nb'],
    ['the old name of Hebrew', ['iw'], 'he'],
    ['the old name of Indonesian', ['in-ID'], 'id'],
    ['an extension', ['fr-u-nu-latn'], 'fr'],
    ['private use', ['fr-x-shop'], 'fr'],
    ['English', ['en'], 'en'],
    ['English of Britain, before what is wanted less', ['en-GB', 'de'], 'en'],
    ['the second one, where the first is not there', ['tlh', 'fr-CA'], 'fr'],
    ['the second one, where the first says nothing', ['', 'ja'], 'ja'],
    ['none', [], 'en'],
    ['none that is there', ['tlh', 'i-klingon', 'x-none'], 'en'],
    ['no tag at all', ['constructor', '__proto__', '-', '--', 'de_AT', '💥'], 'en'],
  ])('%s', (_, wanted, found) => {
    expect(languageFor(wanted, TAGS)).toBe(found);
  });
});

describe('the table', () => {
  test('has more than 60 languages, by their tags, without the English of the script', () => {
    expect(TAGS.length).toBeGreaterThan(60);
    expect(TAGS).toEqual([...TAGS].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    expect(TAGS).not.toContain('en');
    expect(Intl.getCanonicalLocales(TAGS)).toEqual(TAGS);
    expect(new Set(Object.values(TABLE).map(({ name }) => name)).size).toBe(TAGS.length);
  });

  test('is listed in docs/reference/widget.md', async () => {
    const docs = await Bun.file(join(import.meta.dir, '../../docs/reference/widget.md')).text();
    const list = Object.entries(TABLE).map(([tag, { name }]) => `${name} \`${tag}\``);
    expect(docs.replace(/\s+/g, ' ')).toContain(`and ${TAGS.length} more: ${list.join(', ')}. With`);
  });

  test('has right-to-left ones', () => {
    expect(TAGS.filter((tag) => TABLE[tag]?.dir === 'rtl')).toEqual(['ar', 'fa', 'he', 'ur']);
  });
});

describe.each(TAGS)('the texts in %s', (tag) => {
  const { name, dir, texts } = TABLE[tag] as Entry;
  const own = flat(texts);
  const all = Object.values(own);

  test('are all there, and no other', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(ENGLISH.texts));
    expect(Object.keys(texts.problems)).toEqual(Object.keys(ENGLISH.texts.problems));
    expect(Object.keys(TABLE[tag] ?? {})).toEqual(['name', 'dir', 'texts']);
  });

  test('are none of them English', () => {
    expect(Object.keys(own).filter((key) => own[key] === english[key])).toEqual([]);
  });

  test('are in the script of the language, and run in its direction', () => {
    const script = scriptOf(tag);
    const letters = new RegExp(`^(?:${SCRIPTS[script] ?? `\\p{Script=${script}}`})$`, 'u');
    for (const text of [name.replace(/\(.*\)/, ''), ...all]) {
      const foreign = [...text].filter((sign) => /\p{Letter}/u.test(sign) && !letters.test(sign));
      expect([text, foreign]).toEqual([text, []]);
    }
    expect(dir).toBe(['Arab', 'Hebr'].includes(script) ? 'rtl' : 'ltr');
  });

  test('are typeset well', () => {
    for (const text of [name, ...all]) {
      expect(text).toBe(text.normalize('NFC').trim());
      expect(text).not.toMatch(/\.\.|["']| {2}|[<>{}&]|undefined/);
    }
    expect(texts.solving).toEndWith('…');
  });

  test('are sentences where English has sentences', () => {
    // Thai does without a full stop.
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
