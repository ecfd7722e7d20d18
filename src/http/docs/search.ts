import type { DocsPage, DocsSection } from './docs.ts';

/** A section that contains all words of a query. */
export type SearchResult = {
  readonly page: DocsPage;
  readonly section: DocsSection;
  /** The part of the text around the first match. */
  readonly excerpt: string;
};

/** The longest query, in characters. */
export const QUERY_MAX_LENGTH = 100;
/** The most words in a query. */
export const QUERY_MAX_WORDS = 10;
const RESULTS_MAX = 20;
const RESULTS_PER_PAGE = 3;
/** Characters before and after the first match. */
const EXCERPT_BEFORE = 60;
const EXCERPT_AFTER = 140;

type Entry = {
  readonly page: DocsPage;
  readonly section: DocsSection;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly weight: number;
};

/**
 * Creates the search over all sections: a function that returns the best results for a list of lowercase words. It reads all texts once
 * for each word, 0.5 MB in total.
 */
export function createSearch(
  pages: readonly DocsPage[],
  sections: readonly DocsSection[],
): (words: readonly string[]) => readonly SearchResult[] {
  const entries = sections.flatMap((section) => {
    const page = pages[section.page];
    return page === undefined ? [] : [toEntry(page, section)];
  });
  return (words) => {
    if (words.length === 0) return [];
    const phrase = words.join(' ');
    const found = entries
      .map((entry) => ({ entry, score: scoreOf(entry, words, phrase) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    return best(found.map(({ entry }) => entry)).map(({ page, section, text }) => ({
      page,
      section,
      excerpt: excerptOf(section.text, text, words),
    }));
  };
}

/** @returns the distinct words of a query in lowercase, or the problem of the query */
export function parseSearch(
  query: string,
): { readonly words: readonly string[] } | { readonly problem: 'too-long' | 'too-many-words' } {
  if (query.length > QUERY_MAX_LENGTH) return { problem: 'too-long' };
  const words = new Set(query.toLowerCase().split(/\s+/).filter(Boolean));
  return words.size > QUERY_MAX_WORDS ? { problem: 'too-many-words' } : { words: [...words] };
}

function toEntry(page: DocsPage, section: DocsSection): Entry {
  return {
    page,
    section,
    title: page.title.toLowerCase(),
    heading: section.anchor === '' ? '' : section.heading.toLowerCase(),
    text: section.text.toLowerCase(),
    weight: weightOf(page),
  };
}

/** Lower for the index, which repeats all titles, and for pages that few readers look for; higher for the reference, which is complete. */
function weightOf({ path, group }: DocsPage): number {
  if (path === '') return 0.2;
  if (group === 'Project') return 0.5;
  return group === 'Reference' ? 1.1 : 1;
}

/** @returns 0 if a word is missing */
function scoreOf(entry: Entry, words: readonly string[], phrase: string): number {
  let score = 0;
  for (const word of words) {
    const found =
      10 * matchIn(entry.title, word) * (entry.section.anchor === '' ? 1.5 : 0.5) +
      12 * matchIn(entry.heading, word) +
      3 * matchIn(entry.text, word);
    if (found === 0) return 0;
    score += found;
  }
  if (words.length > 1) {
    score += 12 * matchIn(entry.heading, phrase) + 12 * matchIn(entry.title, phrase);
    score += 6 * matchIn(entry.text, phrase);
  }
  return score * entry.weight;
}

/** Occurrences of a word that are examined in one text. A search for ten single letters takes 4 ms, and 16 ms without this limit. */
const OCCURRENCES_MAX = 8;

/** @returns 1 if the text contains the word itself, 0.8 if a word starts with it, 0.2 if it is inside of a word, otherwise 0 */
function matchIn(text: string, word: string): number {
  let quality = 0;
  let left = OCCURRENCES_MAX;
  for (let at = text.indexOf(word); at >= 0 && quality < 1 && left > 0; at = text.indexOf(word, at + 1)) {
    left--;
    const starts = !isLetter(text[at - 1]);
    const ends = !isLetter(text[at + word.length]);
    quality = Math.max(quality, starts && ends ? 1 : starts ? 0.8 : 0.2);
  }
  return quality;
}

function isLetter(character: string | undefined): boolean {
  return (
    character !== undefined &&
    (/[a-z0-9]/.test(character) || (character > '\u007f' && /[\p{L}\p{N}]/u.test(character)))
  );
}

/** @returns the first results, with a limit for each page */
function best(entries: readonly Entry[]): readonly Entry[] {
  const counts = new Map<DocsPage, number>();
  const chosen: Entry[] = [];
  for (const entry of entries) {
    const count = counts.get(entry.page) ?? 0;
    if (count === RESULTS_PER_PAGE) continue;
    counts.set(entry.page, count + 1);
    chosen.push(entry);
    if (chosen.length === RESULTS_MAX) break;
  }
  return chosen;
}

function excerptOf(text: string, lowercase: string, words: readonly string[]): string {
  const positions = words.map((word) => lowercase.indexOf(word)).filter((at) => at >= 0);
  const at = positions.length === 0 ? 0 : Math.min(...positions);
  const start = at <= EXCERPT_BEFORE ? 0 : text.indexOf(' ', at - EXCERPT_BEFORE) + 1;
  const limit = at + EXCERPT_AFTER;
  const end = limit >= text.length ? text.length : text.lastIndexOf(' ', limit);
  // A long word without spaces has no better end than the limit.
  const excerpt = text.slice(Math.min(start, at), end <= at ? limit : end);
  return `${start > 0 ? '… ' : ''}${excerpt}${end < text.length ? ' …' : ''}`;
}

/** A part of a text; whether it is one of the words that were searched for. */
type Part = { readonly text: string; readonly isMatch: boolean };

/** @returns the text in parts, of which those that match a word are marked */
export function markMatches(text: string, words: readonly string[]): readonly Part[] {
  const patterns = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (patterns.length === 0) return [{ text, isMatch: false }];
  return text
    .split(new RegExp(`(${patterns.join('|')})`, 'iu'))
    .map((part, index) => ({ text: part, isMatch: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}
