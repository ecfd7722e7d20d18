import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Element } from '../../jsx/elements.ts';
import { renderPage } from '../../jsx/runtime.ts';
import { lazyAsync } from '../../lib/lazy.ts';
import { pathOf, queryOf } from '../../lib/target.ts';
import type { WaitForTick } from '../../lib/tickLimiter.ts';
import { assetRoutes } from '../assets.ts';
import { hashOf } from '../etag.ts';
import { createFileHandler } from '../fileHandler.ts';
import { PUBLIC_HEADERS, type PublicPages } from '../publicPage.tsx';
import type { Route } from '../router.ts';
import {
  type BundledDocs,
  type BundledPage,
  type DocsContents,
  type DocsPage,
  type DocsPicture,
  type DocsSection,
  pathOfPage,
} from './docs.ts';
import { DOCS_ASSETS, DocsArticle, DocsFrame, DocsNotFound, DocsStart } from './docsPage.tsx';
import { createSearch, parseSearch, type Search } from './search.ts';
import { type SearchAnswer, SearchPage } from './searchPage.tsx';

export type DocsRoutesDeps = {
  readonly docs: BundledDocs;
  readonly search: DocsSearch;
  readonly pictures: readonly DocsPicture[];
  readonly publicPages: PublicPages;
  /** Prevents many searches from delaying puzzles and verifications. */
  readonly waitForTick: WaitForTick;
};

/** Answers a query. */
export type DocsSearch = (query: string) => Promise<SearchAnswer>;

type Handler = (request: Request) => Response;

/** An upgrade changes pages and the paths of their style sheets, so browsers revalidate pages at each use. */
const CACHING = 'no-cache';

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
};

/**
 * Routes of the documentation: `GET /docs`, its pages and the files that they link to, and `GET /docs/search?q=`. A page is rendered and
 * compressed at its first request.
 */
export function docsRoutes(deps: DocsRoutesDeps): readonly Route[] {
  const handlers = createHandlers(deps);
  const search = createSearchHandler(deps);
  const serve = async (request: Request): Promise<Response> => {
    const path = pathOf(request).slice('/docs/'.length);
    if (path.endsWith('.md')) return redirect(`/docs/${path.slice(0, -'.md'.length)}`);
    const handler = handlers.get(path);
    if (handler !== undefined) return (await handler())(request);
    const [page, other] = deps.docs.pages.filter((known) => nameOf(known.path) === nameOf(path));
    return page !== undefined && other === undefined ? redirect(pathOfPage(page)) : notFound(deps);
  };
  // The metrics count requests by route, so each depth has its own.
  const paths = ['/docs', '/docs/:group', '/docs/:group/:page', '/docs/:group/:page/:file', '/docs/*'];
  return [
    { method: 'GET', path: '/docs/search', handle: search },
    ...paths.map((path) => ({ method: 'GET', path, handle: serve }) as const),
    ...assetRoutes(DOCS_ASSETS),
  ];
}

/** The last part of a path, which finds a page that is in another folder: `/docs/security` leads to `/docs/explanation/security`. */
function nameOf(path: string): string | undefined {
  return path.split('/').at(-1);
}

function notFound({ docs, publicPages }: DocsRoutesDeps): Response {
  const frame = { ...publicPages, pages: docs.pages, current: undefined, hasFinder: true };
  const page = (
    <DocsFrame {...frame} title="Page not found · Postern docs">
      <DocsNotFound />
    </DocsFrame>
  );
  return unstoredPage(page, 404);
}

function unstoredPage(page: Element, status: number): Response {
  const headers = { ...PUBLIC_HEADERS, 'Cache-Control': 'no-store' };
  return new Response(renderPage(page), { status, headers });
}

function redirect(path: string): Response {
  return new Response(null, { status: 308, headers: { Location: path } });
}

/** @returns the functions that load the pages, the attached files, and the pictures, by path */
function createHandlers({
  docs,
  pictures,
  publicPages,
}: DocsRoutesDeps): ReadonlyMap<string, () => Promise<Handler>> {
  const pages = docs.pages.map(
    (page) => [page.path, lazyAsync(() => loadPage(page, docs.pages, publicPages))] as const,
  );
  const files = docs.files.map(
    ({ path, gzip }) => [path, lazyAsync(async () => loadFile(path, gzip))] as const,
  );
  const images = pictures.map(({ path, file }) => [path, lazyAsync(() => loadPicture(file))] as const);
  return new Map([...pages, ...files, ...images]);
}

async function loadPage(page: BundledPage, pages: readonly DocsPage[], optional: PublicPages) {
  const contents: DocsContents = JSON.parse(await decompress(page.gzip));
  const at = pages.findIndex(({ path }) => path === page.path);
  const frame = { ...optional, pages, current: page, description: page.summary, hasFinder: true };
  const markup = renderPage(
    <DocsFrame {...frame} title={page.path === '' ? 'Postern docs' : `${page.title} · Postern docs`}>
      {page.path === '' ? (
        <DocsStart pages={pages} />
      ) : (
        <DocsArticle page={page} contents={contents} previous={pages[at - 1]} next={pages[at + 1]} />
      )}
    </DocsFrame>,
  );
  return handlerOf('text/html', Buffer.from(markup), PUBLIC_HEADERS);
}

async function loadFile(path: string, zipped: string): Promise<Handler> {
  const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'text/plain';
  return handlerOf(type, Buffer.from(await decompress(zipped)), {});
}

async function handlerOf(
  type: string,
  plain: Buffer<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Promise<Handler> {
  const zipped = await promisify(gzip)(plain, { level: 9 });
  // Only the compressed bytes stay in memory. Few clients do not accept them.
  const contents = { type, etag: `"${hashOf(plain)}"`, isPublic: false, zipped, headers };
  const serve = createFileHandler({ ...contents, plain: () => Bun.gunzipSync(zipped) });
  return (request) => serve(request, CACHING);
}

/** PNG files are compressed already. */
async function loadPicture(file: string): Promise<Handler> {
  const etag = `"${hashOf(await Bun.file(file).bytes())}"`;
  const contents = { type: 'image/png', etag, isPublic: false, zipped: undefined };
  const serve = createFileHandler({ ...contents, plain: () => Bun.file(file) });
  return (request) => serve(request, CACHING);
}

async function decompress(base64: string): Promise<string> {
  return String(await promisify(gunzip)(Uint8Array.fromBase64(base64)));
}

/** @see DocsSearch */
export function createDocsSearch(docs: BundledDocs): DocsSearch {
  const load = lazyAsync(async (): Promise<Search> => {
    const sections: readonly DocsSection[] = JSON.parse(await decompress(docs.search));
    return createSearch(docs.pages, sections);
  });
  return async (query) => {
    const parsed = parseSearch(query);
    return 'problem' in parsed
      ? { query, results: [], problem: parsed.problem }
      : { query, results: (await load())(parsed.words), problem: undefined };
  };
}

function createSearchHandler({ docs, search, publicPages, waitForTick }: DocsRoutesDeps) {
  return async (request: Request): Promise<Response> => {
    await waitForTick();
    const query = (queryOf(request).get('q') ?? '').trim();
    const answer = await search(query);
    const title = query === '' ? 'Search' : `${query.slice(0, 60)} · Search`;
    const frame = { ...publicPages, pages: docs.pages, current: undefined, hasFinder: false };
    const page = (
      <DocsFrame {...frame} title={`${title} · Postern docs`}>
        <SearchPage {...answer} />
      </DocsFrame>
    );
    return unstoredPage(page, answer.problem === undefined ? 200 : 400);
  };
}
