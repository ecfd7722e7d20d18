import { describe, expect, test } from 'bun:test';
import { basename } from 'node:path';
import { type FlatTexts, originalOf, portalTexts, widgetTexts } from '../texts.ts';

/** A term: its translations, of which a text needs one, and words that must not translate it. Words are regular expressions
 * without case. */
type Term = { readonly use: readonly string[]; readonly avoid: readonly string[] };
type Glossary = Readonly<Record<string, Term>>;

const FILES = [...new Bun.Glob('*.json').scanSync({ cwd: import.meta.dir, absolute: true })].toSorted();
const VALUES = /\{\{\w+\}\}/g;
const portal = portalTexts();
const widget = widgetTexts();
const english: FlatTexts = new Map([...portal.english, ...widget.english]);

/** Whether an English text contains a term, also in the plural. Names of fields and values are code. */
function contains(text: string, term: string): boolean {
  const plain = text.replace(VALUES, '').replace(/[\w-]*_[\w-]+/g, '');
  const plural = term.endsWith('y') ? `(?:${term}|${term.slice(0, -1)}ies)` : `${term}s?`;
  return new RegExp(`(?<![\\w-])${plural}(?![\\w-])`, 'i').test(plain);
}

function violations(term: string, { use, avoid }: Term, texts: FlatTexts): readonly string[] {
  return [...texts].flatMap(([key, text]) => {
    if (!contains(originalOf(english, key), term)) return [];
    const has = (word: string) => new RegExp(word, 'iu').test(text.replace(VALUES, ''));
    if (!use.some(has)) return [`${key} lacks "${use.join('" or "')}": ${text}`];
    return avoid.filter(has).map((word) => `${key} has "${word}": ${text}`);
  });
}

describe.each(FILES)('the glossary %s', (file) => {
  const tag = basename(file, '.json');
  const glossary = Object.entries(require(file) as Glossary);
  const texts: FlatTexts = new Map([...(portal.others[tag] ?? []), ...(widget.others[tag] ?? [])]);

  test.each(glossary)('has the term %s, and the translations follow it', (term, words) => {
    expect([...english.values()].some((text) => contains(text, term))).toBe(true);
    expect(violations(term, words, texts)).toEqual([]);
  });

  test('is for a language of the portal or the widget', () => {
    expect(texts.size).toBeGreaterThan(0);
  });
});

test('the search for terms finds words that are missing or must not be used', () => {
  const key = 'problems.properties-limit';
  const term = { use: ['Property'], avoid: ['Eigenschaft'] };
  const find = (text: string) => violations('property', term, new Map([[key, text]])).length;
  expect(find('Mehr Propertys')).toBe(0);
  expect(find('Mehr Websites')).toBe(1);
  expect(find('Mehr Propertys und Eigenschaften')).toBe(1);
});
