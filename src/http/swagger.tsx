import type { Awaitable } from '../lib/awaitable.ts';
import { HIDDEN } from './assets.ts';
import { createLazyHandler } from './fileHandler.ts';
import type { Element } from './jsx/elements.ts';
import { renderPage } from './jsx/runtime.ts';
import { createDocument, type DocumentDeps } from './openapi/document.ts';
import { OPERATIONS } from './openapi/operations.ts';
import { PUBLIC_HEADERS, PublicHead, PublicHeader, type PublicPages } from './publicPage.tsx';
import type { RouteGroup } from './router.ts';
import { contentsOf, SWAGGER_FILES } from './swaggerFiles.ts';

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

  async function guarded(request: Request, read: () => Awaitable<Response>): Promise<Response> {
    if (mayRead === undefined || (await mayRead(request))) return read();
    const headers = { Location: '/portal/login?return=%2Fswagger', 'Cache-Control': 'no-store' };
    return new Response(null, { status: 303, headers });
  }

  return (app) => {
    const json = createLazyHandler(async () => {
      document ??= createDocument(app, facts);
      return contentsOf('application/json', await document);
    });
    for (const { path, caching, load } of SWAGGER_FILES) {
      const serve = createLazyHandler(load);
      app.get(path, ({ request }) => serve(request, caching), HIDDEN);
    }
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
