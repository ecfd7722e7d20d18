import { pathOfPage } from './docs.ts';
import { markMatches, QUERY_MAX_LENGTH, QUERY_MAX_WORDS, type SearchResult } from './search.ts';

export type SearchAnswer = {
  readonly query: string;
  readonly results: readonly SearchResult[];
  /** Why the query was rejected. */
  readonly problem: 'too-long' | 'too-many-words' | undefined;
};

const PROBLEMS = {
  'too-long': `The search text is longer than ${QUERY_MAX_LENGTH} characters. Use fewer words.`,
  'too-many-words': `The search text has more than ${QUERY_MAX_WORDS} words. Use fewer words.`,
} as const;

/** The page with the results of a search. The script shows its element `#results` while the reader types. */
export function SearchPage({ query, results, problem }: SearchAnswer) {
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
          {query !== '' && problem === undefined && (
            <p class="count" role="status">
              {countOf(results.length, query)}
            </p>
          )}
          {results.length > 0 ? (
            <ol class="results">
              {results.map((result) => (
                <Result {...result} />
              ))}
            </ol>
          ) : (
            query !== '' && problem === undefined && <Advice />
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
  if (count === 0) return `No results for “${query}”.`;
  return count === 1 ? '1 result' : `${count} results`;
}

/** What to try after a search without results. */
function Advice() {
  return (
    <ul class="advice">
      <li>Check the spelling, or use fewer or more general words. The documentation is in English.</li>
      <li>
        For an error message, use its beginning, or see <a href="/docs/how-to/troubleshoot">Troubleshoot</a>.
      </li>
      <li>
        For a feature, see <a href="/docs/reference/not-supported">What is not supported</a>.
      </li>
      <li>
        See the <a href="/docs/faq">frequently asked questions</a>, the{' '}
        <a href="/docs/reference/glossary">glossary</a>, or <a href="/docs">all pages</a>.
      </li>
    </ul>
  );
}

function Result({ page, section, excerpt, matches }: SearchResult) {
  const path = pathOfPage(page);
  return (
    <li>
      <a href={section.anchor === '' ? path : `${path}#${section.anchor}`}>
        <span class="where">
          <Marked text={page.label} matches={matches} />
          {section.anchor !== '' && (
            <>
              {' › '}
              <Marked text={section.heading} matches={matches} />
            </>
          )}
        </span>
        <span class="excerpt">
          <Marked text={excerpt} matches={matches} />
        </span>
      </a>
    </li>
  );
}

function Marked(props: { readonly text: string; readonly matches: ReadonlySet<string> }) {
  const parts = markMatches(props.text, props.matches);
  return <>{parts.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</>;
}
