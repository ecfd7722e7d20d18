import { pathOfPage } from './docs.ts';
import { markMatches, QUERY_MAX_LENGTH, QUERY_MAX_WORDS, type SearchResult } from './search.ts';

export type SearchAnswer = {
  readonly query: string;
  readonly words: readonly string[];
  readonly results: readonly SearchResult[];
  /** Why the query was rejected. */
  readonly problem: 'too-long' | 'too-many-words' | undefined;
};

const PROBLEMS = {
  'too-long': `The search text is longer than ${QUERY_MAX_LENGTH} characters. Use fewer words.`,
  'too-many-words': `The search text has more than ${QUERY_MAX_WORDS} words. Use fewer words.`,
} as const;

/** The page with the results of a search. The script shows its element `#results` while the reader types. */
export function SearchPage({ query, words, results, problem }: SearchAnswer) {
  return (
    <div class="answers">
      <main id="content" tabindex={-1}>
        <h1>Search the docs</h1>
        <SearchForm label="Search the docs" value={problem === 'too-long' ? '' : query} />
        {problem !== undefined && (
          <p class="problem" role="alert">
            {PROBLEMS[problem]}
          </p>
        )}
        <div id="results">
          {words.length > 0 && (
            <p class="count" role="status">
              {countOf(results.length, query)}
            </p>
          )}
          {results.length > 0 && (
            <ol class="results">
              {results.map((result) => (
                <Result result={result} words={words} />
              ))}
            </ol>
          )}
        </div>
      </main>
    </div>
  );
}

/** A search field with its button. */
export function SearchForm({ label, value }: { readonly label: string; readonly value?: string }) {
  return (
    <form action="/docs/search" method="get">
      <input type="search" name="q" value={value} maxlength={QUERY_MAX_LENGTH} aria-label={label} required />
      <button type="submit">Search</button>
    </form>
  );
}

function countOf(count: number, query: string): string {
  if (count === 0) return `No results for “${query}”. Check the spelling or use fewer words.`;
  return count === 1 ? '1 result' : `${count} results`;
}

function Result(props: { readonly result: SearchResult; readonly words: readonly string[] }) {
  const { page, section, excerpt } = props.result;
  const path = pathOfPage(page);
  return (
    <li>
      <a href={section.anchor === '' ? path : `${path}#${section.anchor}`}>
        <span class="where">
          <Marked text={page.label} words={props.words} />
          {section.anchor !== '' && (
            <>
              {' › '}
              <Marked text={section.heading} words={props.words} />
            </>
          )}
        </span>
        <span class="excerpt">
          <Marked text={excerpt} words={props.words} />
        </span>
      </a>
    </li>
  );
}

function Marked(props: { readonly text: string; readonly words: readonly string[] }) {
  const parts = markMatches(props.text, props.words);
  return <>{parts.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</>;
}
