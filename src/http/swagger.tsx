import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import styleFile from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundleFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import ownStyleFile from '../../static/swagger.css' with { type: 'file' };
import starterFile from '../../static/swagger.js' with { type: 'file' };
import type { Awaitable } from '../lib/awaitable.ts';
import { type Contents, createFileHandler, HIDDEN, REVALIDATED } from './assets.ts';
import { hashOf } from './etag.ts';
import type { Element } from './jsx/elements.ts';
import { renderPage } from './jsx/runtime.ts';
import { createDocument, type DocumentDeps } from './openapi/document.ts';
import { OPERATIONS } from './openapi/operations.ts';
import { PUBLIC_HEADERS, PublicHead, PublicHeader, type PublicPages } from './publicPage.tsx';
import type { RouteGroup } from './server.ts';

const PAGE_HEADERS = { ...PUBLIC_HEADERS, 'Cache-Control': 'no-cache' };

export type SwaggerDeps = DocumentDeps & {
  /** Whether a request may read the page and the document; undefined if every request may. */
  readonly mayRead: ((request: Request) => Promise<boolean>) | undefined;
  /** Whether the header of the page links to the demo. */
  readonly hasDemo: boolean;
};

/**
 * `GET /swagger`: Swagger UI with embedded files. `GET /swagger/json`: the OpenAPI document of the app that the routes are added to,
 * which is created by the first request.
 */
export function swaggerRoutes({ mayRead, hasDemo, ...facts }: SwaggerDeps): RouteGroup {
  const page = renderPage(<SwaggerPage hasDemo={hasDemo} hasSwagger />);
  let document: Promise<string> | undefined;
  const files = FILES.map(
    ([path, type, file]) => [path, createLazy(() => contentsOfFile(type, file))] as const,
  );

  async function guarded(request: Request, read: () => Awaitable<Response>): Promise<Response> {
    if (mayRead === undefined || (await mayRead(request))) return read();
    const headers = { Location: '/portal/login?return=%2Fswagger', 'Cache-Control': 'no-store' };
    return new Response(null, { status: 303, headers });
  }

  return (app) => {
    const json = createLazy(async () => {
      document ??= createDocument(app, facts);
      return contentsOf('application/json', await document);
    });
    for (const [path, serve] of files) app.get(path, ({ request }) => serve(request, REVALIDATED), HIDDEN);
    return app
      .get(
        '/swagger',
        ({ request }) => guarded(request, () => new Response(page, { headers: PAGE_HEADERS })),
        { detail: OPERATIONS.getSwaggerUi },
      )
      .get('/swagger/json', ({ request }) => guarded(request, () => json(request, 'no-cache')), {
        detail: OPERATIONS.getOpenApiDocument,
      });
  };
}

const FILES = [
  ['/swagger/swagger-ui.css', 'text/css', styleFile],
  ['/swagger/swagger-ui-bundle.js', 'text/javascript', bundleFile],
  ['/swagger/postern-swagger.css', 'text/css', ownStyleFile],
  ['/swagger/postern-swagger.js', 'text/javascript', starterFile],
] as const;

function SwaggerPage(pages: PublicPages): Element {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Postern API</title>
        <PublicHead />
        <link rel="stylesheet" href="/swagger/swagger-ui.css" />
        <link rel="stylesheet" href="/swagger/postern-swagger.css" />
        <script src="/swagger/swagger-ui-bundle.js" defer />
        <script src="/swagger/postern-swagger.js" type="module" />
      </head>
      <body>
        <PublicHeader {...pages} area="api" />
        <main id="swagger-ui">
          <noscript>
            <p>
              This page needs JavaScript. The <a href="/swagger/json">OpenAPI document</a> does not.
            </p>
          </noscript>
        </main>
      </body>
    </html>
  );
}

/** Loads and compresses the contents at the first request, because Swagger UI has 2 MB and few servers need it. */
function createLazy(load: () => Promise<Contents>) {
  let loading: Promise<ReturnType<typeof createFileHandler>> | undefined;
  return async (request: Request, caching: string): Promise<Response> => {
    // Concurrent requests share one load, because each load takes several MB.
    loading ??= load().then(createFileHandler);
    return (await loading)(request, caching);
  };
}

async function contentsOf(type: string, text: string): Promise<Contents> {
  const plain = Buffer.from(text);
  return {
    type,
    etag: `"${hashOf(text)}"`,
    isPublic: false,
    plain: () => plain,
    zipped: await compress(text),
  };
}

/** Keeps only the compressed bytes in memory. Uncompressed responses read the embedded file. */
async function contentsOfFile(type: string, path: string): Promise<Contents> {
  const file = Bun.file(path);
  const text = await file.text();
  return {
    type,
    etag: `"${hashOf(text)}"`,
    isPublic: false,
    plain: () => file,
    zipped: await compress(text),
  };
}

/** Compresses on another thread, so that puzzles are not delayed. */
async function compress(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return promisify(gzip)(text, { level: 9 });
}
