import docsStyle from '../../../static/docs.css' with { type: 'text' };
import docsScript from '../../../static/docs.js' with { type: 'text' };
import partsStyle from '../../../static/docsParts.css' with { type: 'text' };
import textStyle from '../../../static/docsText.css' with { type: 'text' };
import type { Children } from '../../jsx/elements.ts';
import { Raw } from '../../jsx/runtime.ts';
import { type Asset, hashedPath, ownAsset } from '../assets.ts';
import { PublicPage, type PublicPages } from '../publicPage.tsx';
import { type DocsContents, type DocsPage, pathOfPage } from './docs.ts';
import { QUERY_MAX_LENGTH } from './search.ts';
import { SearchForm } from './searchPage.tsx';

const STYLES = [docsStyle, textStyle, partsStyle].join('\n');
const STYLE = ownAsset('/assets/docs.css', 'text/css', STYLES);
const SCRIPT = ownAsset('/assets/docs.js', 'text/javascript', docsScript);

export const DOCS_ASSETS: readonly Asset[] = [STYLE, SCRIPT];

type FrameProps = PublicPages & {
  readonly pages: readonly DocsPage[];
  /** The page that the navigation marks. */
  readonly current: DocsPage | undefined;
  readonly title: string;
  readonly description?: string;
  /** Whether the header contains the search field. */
  readonly hasFinder: boolean;
  readonly children: Children;
};

/** The frame of every page of the documentation: search, navigation, and contents. */
export function DocsFrame({ pages, current, children, hasFinder, ...props }: FrameProps) {
  const head = (
    <>
      <link rel="stylesheet" href={hashedPath(STYLE)} />
      <script src={hashedPath(SCRIPT)} defer />
    </>
  );
  return (
    <PublicPage {...props} area="docs" layout="docs" head={head} tools={<Tools hasFinder={hasFinder} />}>
      <div class="columns">
        <Tree pages={pages} current={current} />
        {children}
      </div>
    </PublicPage>
  );
}

/** The search, and in narrow windows the button that opens the navigation. */
function Tools({ hasFinder }: { readonly hasFinder: boolean }) {
  return (
    <div class="tools">
      <button type="button" class="menu quiet" popovertarget="pages">
        All pages
      </button>
      {hasFinder && <Finder />}
    </div>
  );
}

function Finder() {
  return (
    <form class="finder" action="/docs/search" method="get">
      <input
        type="search"
        name="q"
        maxlength={QUERY_MAX_LENGTH}
        placeholder="Search the docs"
        aria-label="Search the docs"
        autocomplete="off"
        aria-keyshortcuts="Control+K Meta+K"
        required
      />
    </form>
  );
}

type TreeProps = { readonly pages: readonly DocsPage[]; readonly current: DocsPage | undefined };

function Tree({ pages, current }: TreeProps) {
  return (
    <nav id="pages" class="tree" popover="auto" aria-label="Documentation">
      {[...Map.groupBy(pages, ({ group }) => group)].map(([group, members]) => (
        <>
          {group !== '' && <h2>{group}</h2>}
          <ul>
            {members.map((page) => (
              <li>
                <a href={pathOfPage(page)} aria-current={page === current ? 'page' : undefined}>
                  {page.label}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

type ContentsProps = {
  readonly page: DocsPage;
  readonly contents: DocsContents;
  readonly previous: DocsPage | undefined;
  readonly next: DocsPage | undefined;
};

/** A page with its table of contents and links to the pages before and after it. */
export function DocsArticle({ page, contents, previous, next }: ContentsProps) {
  const hasToc = contents.toc.length > 1;
  return (
    <div class="page">
      <main id="content" tabindex={-1}>
        <p class="crumbs">{page.group}</p>
        <Raw markup={contents.intro} />
        {hasToc && (
          <details class="contents">
            <summary>On this page</summary>
            <Toc contents={contents} />
          </details>
        )}
        <Raw markup={contents.html} />
        <nav class="turn" aria-label="Previous and next page">
          {previous !== undefined && (
            <a class="turn-link" href={pathOfPage(previous)} rel="prev">
              <span>Previous</span>
              {previous.label}
            </a>
          )}
          {next !== undefined && (
            <a class="turn-link next" href={pathOfPage(next)} rel="next">
              <span>Next</span>
              {next.label}
            </a>
          )}
        </nav>
      </main>
      {hasToc && (
        <nav class="toc" aria-labelledby="toc-title">
          <h2 id="toc-title">On this page</h2>
          <Toc contents={contents} />
        </nav>
      )}
    </div>
  );
}

function Toc({ contents }: { readonly contents: DocsContents }) {
  return (
    <ul>
      {contents.toc.map(({ anchor, text, depth }) => (
        <li class={depth > 2 ? 'deep' : undefined}>
          <a href={`#${anchor}`}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

/** The first page: links to the groups, and a card for every page. */
export function DocsStart({ pages }: { readonly pages: readonly DocsPage[] }) {
  const groups = Map.groupBy(
    pages.filter(({ path }) => path !== ''),
    ({ group }) => group,
  );
  return (
    <div class="start">
      <main id="content" tabindex={-1}>
        <h1>Documentation</h1>
        <nav class="purposes" aria-label="Purposes">
          {[...groups.keys()].map((group) => (
            <a href={`#${anchorOf(group)}`}>{group}</a>
          ))}
        </nav>
        {[...groups].map(([group, members]) => (
          <section>
            <h2 id={anchorOf(group)}>{group}</h2>
            <ul class="cards">
              {members.map((page) => (
                <li>
                  <a href={pathOfPage(page)}>
                    <strong>{page.label}</strong>
                    {page.summary}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </main>
    </div>
  );
}

function anchorOf(group: string): string {
  return group.toLowerCase().replaceAll(' ', '-');
}

/** The contents of the response to a path without a page. */
export function DocsNotFound() {
  return (
    <div class="answers">
      <main id="content" tabindex={-1}>
        <h1>Page not found</h1>
        <p>
          The documentation of this version has no such page. Search for it, or choose a page from the list.
        </p>
        <SearchForm label="Search for a page" />
        <p>
          <a href="/docs">All pages</a>
        </p>
      </main>
    </div>
  );
}
