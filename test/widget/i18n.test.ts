import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { widgetLanguages } from '../../build/bundle.ts';
import { ENGLISH, RARE_ENGLISH, type RareTexts, type Texts } from '../../src/widget/i18n.ts';

type Entry = { readonly name: string; readonly dir: string; readonly texts: Texts & RareTexts };

const TABLE = JSON.parse(widgetLanguages()) as Readonly<Record<string, Entry>>;
const TAGS = Object.keys(TABLE);

const english: Readonly<Record<string, string>> = { ...ENGLISH.texts, ...RARE_ENGLISH };

/** ICU scripts that consist of several Unicode scripts. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Jpan: '\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|ー',
  Kore: '\\p{Script=Hangul}',
  Hans: '\\p{Script=Han}',
  Hant: '\\p{Script=Han}',
};

const scriptOf = (tag: string) => new Intl.Locale(tag).maximize().script ?? '';

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
  const own: Readonly<Record<string, string>> = texts;
  const all = Object.values(own);

  test('have the same keys as the English ones', () => {
    expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort());
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
    for (const [key, text] of Object.entries(own)) {
      const isSentence = english[key]?.endsWith('.');
      if (isSentence) expect(text).toMatch(stop);
      else expect(text).not.toMatch(/[.。।۔։]$/);
    }
  });

  test('are short', () => {
    expect(texts.label.length).toBeLessThanOrEqual(30);
    expect(texts.progress.length).toBeLessThanOrEqual(40);
    expect(texts.verified.length).toBeLessThanOrEqual(25);
    for (const text of [texts.idle, texts.solving, texts.expired])
      expect(text.length).toBeLessThanOrEqual(60);
    expect(texts.privacy.length).toBeLessThanOrEqual(25);
    expect(texts.unavailable.length).toBeLessThanOrEqual(90);
    for (const text of all) expect(text.length).toBeLessThanOrEqual(180);
  });
});
