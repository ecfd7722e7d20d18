import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import type { DocsPage, DocsSection } from './docs.ts';
import { COMMON_WORDS, SYNONYMS } from './searchWords.ts';

/** A section that matches a query. */
export type SearchResult = {
  readonly page: DocsPage;
  readonly section: DocsSection;
  /** The part of the text around the first match. */
  readonly excerpt: string;
  /** The words of the section that match, in lowercase. */
  readonly matches: ReadonlySet<string>;
};

/** Finds the best sections for the words of a query. */
export type Search = (words: readonly string[]) => readonly SearchResult[];

/** The longest query, in characters. */
export const QUERY_MAX_LENGTH = 100;
/** The most words in a query. */
export const QUERY_MAX_WORDS = 10;
const RESULTS_MAX = 20;
const RESULTS_PER_PAGE = 3;
/** Results whose text is searched for pairs of words. */
const RANKED_MAX = 30;
/** Characters before and after the first match. */
const EXCERPT_BEFORE = 60;
const EXCERPT_AFTER = 140;
/** Sections that are added to the index at once, which takes a few milliseconds. */
const CHUNK_SIZE = 4;

const WORD = /[\p{L}\p{N}]+/gu;

/** How much a match counts in each field of a section. */
const BOOST = { title: 8, heading: 5, page: 1, text: 1 } as const;

type Entry = {
  readonly id: number;
  /** The title of the page, in the section at its beginning only. */
  readonly title: string | undefined;
  /** The heading and the title of the page, in all other sections. */
  readonly heading: string | undefined;
  readonly page: string | undefined;
  readonly text: string;
};

/** Creates the search over all sections. Other requests are handled while it builds the index. */
export async function createSearch(
  pages: readonly DocsPage[],
  sections: readonly DocsSection[],
): Promise<Search> {
  const entries = sections.flatMap((section) => {
    const page = pages[section.page];
    return page === undefined ? [] : [{ page, section, weight: weightOf(page) }];
  });
  const known = new Set<string>();
  const index = new MiniSearch<Entry>({
    fields: Object.keys(BOOST),
    tokenize: wordsIn,
    processTerm(word) {
      const forms = formsOf(word);
      for (const form of forms) known.add(form);
      return forms;
    },
    searchOptions: {
      boost: BOOST,
      processTerm: formsOf,
      prefix: (word) => word.length > 2,
      // Words that occur nowhere may contain a typing error.
      fuzzy: (word) => (word.length > 4 && !known.has(word) ? 0.2 : false),
      boostDocument: (id) => entries[id]?.weight ?? 1,
    },
  });
  const documents = entries.map(({ page, section }, id) => toEntry(id, page, section));
  await index.addAllAsync(documents, { chunkSize: CHUNK_SIZE });
  return (query) => {
    const words = expand(query);
    const found = index.search(words.join(' ')).flatMap(({ id, score, terms, queryTerms }) => {
      const entry = entries[id];
      if (entry === undefined) return [];
      const covered = words.filter((word) => formsOf(word).some((form) => queryTerms.includes(form)));
      return [{ ...entry, matches: new Set(terms), score: score * (covered.length / words.length) ** 2 }];
    });
    return best(byPhrase(found, words)).map(({ page, section, matches }) => ({
      page,
      section,
      matches,
      excerpt: excerptOf(section.text, matches),
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

function wordsIn(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** @returns the words of a query, without those that say nothing about its subject, and with words for the same subject */
function expand(query: readonly string[]): readonly string[] {
  const all = query.flatMap(wordsIn);
  const rare = all.filter((word) => !COMMON_WORDS.has(word));
  const words = rare.length === 0 ? all : rare;
  return [...new Set(words.flatMap((word) => [word, ...wordsIn(SYNONYMS.get(word) ?? '')]))];
}

type Ranked = { readonly page: DocsPage; readonly section: DocsSection; readonly score: number };

/** Sorts the first results again: those that contain words of the query next to each other rank higher. */
function byPhrase<Found extends Ranked>(found: readonly Found[], words: readonly string[]): readonly Found[] {
  const pairs = words.slice(1).map((word, at) => `${words[at]} ${word}`);
  const score = (result: Found): number => {
    const { heading, text } = result.section;
    const plain = wordsIn(`${heading} ${text}`.toLowerCase()).join(' ');
    const together = pairs.filter((pair) => plain.includes(pair)).length;
    return result.score * (1 + together / Math.max(pairs.length, 1)) * (isTitle(result, words) ? 4 : 1);
  };
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, RANKED_MAX)
    .map((result) => ({ result, score: score(result) }))
    .sort((a, b) => b.score - a.score)
    .map(({ result }) => result);
}

/** Whether the words are the title of the page that begins with this section. */
function isTitle({ page, section }: Ranked, words: readonly string[]): boolean {
  return section.anchor === '' && expand([page.title.toLowerCase()]).join(' ') === words.join(' ');
}

/** @returns a word in lowercase and its stem, which is the same for `verify`, `verifies`, and `verification` */
function formsOf(word: string): string[] {
  const lowercase = word.toLowerCase();
  return [...new Set([lowercase, stemmer(lowercase).replace(/(?<=...)i$/, '')])];
}

function toEntry(id: number, page: DocsPage, { anchor, heading, text }: DocsSection): Entry {
  return anchor === ''
    ? { id, title: `${page.title} ${page.label}`, heading: undefined, page: undefined, text }
    : { id, title: undefined, heading, page: page.title, text };
}

/** Lower for the index, which repeats all titles, and for pages that few readers look for. */
function weightOf({ path, group }: DocsPage): number {
  if (path === '') return 0.1;
  return { Project: 0.4, Migrate: 0.7 }[group] ?? 1;
}

/** @returns the first results, with a limit for each page */
function best<Found extends { readonly page: DocsPage }>(found: readonly Found[]): readonly Found[] {
  const counts = new Map<DocsPage, number>();
  const chosen: Found[] = [];
  for (const result of found) {
    const count = counts.get(result.page) ?? 0;
    if (count === RESULTS_PER_PAGE) continue;
    counts.set(result.page, count + 1);
    chosen.push(result);
    if (chosen.length === RESULTS_MAX) break;
  }
  return chosen;
}

function excerptOf(text: string, matches: ReadonlySet<string>): string {
  const at = firstMatch(text, matches);
  const start = at <= EXCERPT_BEFORE ? 0 : text.indexOf(' ', at - EXCERPT_BEFORE) + 1;
  const limit = at + EXCERPT_AFTER;
  const end = limit >= text.length ? text.length : text.lastIndexOf(' ', limit);
  // A long word without spaces has no better end than the limit.
  const excerpt = text.slice(Math.min(start, at), end <= at ? limit : end);
  return `${start > 0 ? '… ' : ''}${excerpt}${end < text.length ? ' …' : ''}`;
}

function firstMatch(text: string, matches: ReadonlySet<string>): number {
  for (const { 0: word, index } of text.matchAll(WORD)) if (matches.has(word.toLowerCase())) return index;
  return 0;
}

/** A part of a text; whether it is one of the words that were searched for. */
type Part = { readonly text: string; readonly isMatch: boolean };

/** @returns the text in parts, of which those that match are marked */
export function markMatches(text: string, matches: ReadonlySet<string>): readonly Part[] {
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .map((part) => ({ text: part, isMatch: matches.has(part.toLowerCase()) }))
    .filter((part) => part.text !== '');
}
