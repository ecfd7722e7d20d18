import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import styleFile from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundleFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import ownStyleFile from '../../../static/swagger.css' with { type: 'file' };
import starterFile from '../../../static/swagger.js' with { type: 'file' };
import { renderPage } from '../../jsx/runtime.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { fileRoute } from '../assets.ts';
import { hashOf } from '../etag.ts';
import { createLazyHandler, type FileContents, REVALIDATED, type StaticFile } from '../fileHandler.ts';
import { fileOperation, headers, type Operation } from '../operationDocs.ts';
import { PUBLIC_HEADERS, PublicHead, PublicHeader, type PublicPages } from '../publicPage.tsx';
import type { Route } from '../router.ts';
import type { DocumentDeps } from './document.ts';

/** The files of the page. They are loaded and compressed on the first request, because Swagger UI is 2 MB and few servers need it. */
export const SWAGGER_FILES: readonly StaticFile[] = [
  swaggerFile('/swagger/swagger-ui.css', 'text/css', styleFile),
  swaggerFile('/swagger/swagger-ui-bundle.js', 'text/javascript', bundleFile),
  swaggerFile('/swagger/postern-swagger.css', 'text/css', ownStyleFile),
  swaggerFile('/swagger/postern-swagger.js', 'text/javascript', starterFile),
];

function swaggerFile(path: string, type: string, file: string): StaticFile {
  return { path, caching: REVALIDATED, load: () => contentsOfFile(type, file) };
}

/** Keeps only the compressed bytes in memory. Uncompressed responses read the embedded file. */
async function contentsOfFile(type: string, file: string): Promise<FileContents> {
  return { ...(await contentsOf(type, await Bun.file(file).text())), plain: { file } };
}

/** The contents of a generated file, compressed on another thread, so that puzzles are not delayed. */
async function contentsOf(type: string, text: string): Promise<FileContents> {
  return {
    type,
    etag: `"${hashOf(text)}"`,
    isPublic: false,
    plain: new TextEncoder().encode(text),
    zipped: await promisify(gzip)(text, { level: 9 }),
  };
}

const GET_SWAGGER_UI: Operation = {
  operationId: 'getSwaggerUi',
  tags: ['Operation'],
  summary: 'View this document as a page',
  description: 'Returns Swagger UI.',
  security: [],
  responses: {
    200: {
      description: 'The page.',
      headers: headers(),
      content: { 'text/html': { schema: { type: 'string' } } },
    },
  },
};

const GET_DOCUMENT = fileOperation(
  {
    operationId: 'getOpenApiDocument',
    tags: ['Operation'],
    summary: 'Get this document',
    description: 'Returns this document in OpenAPI 3.0.',
  },
  'The document.',
  'application/json',
  { of: { type: 'object' } },
);

const PAGE_HEADERS = { ...PUBLIC_HEADERS, 'Cache-Control': 'no-cache' };

export type SwaggerDeps = DocumentDeps & {
  /** Whether a request may read the page and the document; undefined if every request may. */
  readonly mayRead: ((request: Request) => Promise<boolean>) | undefined;
  /** Whether the header of the page links to the demo. */
  readonly hasDemo: boolean;
};

/** `GET /swagger`: Swagger UI with embedded files. `GET /swagger/json`: the OpenAPI document, which is created by the first request. */
export function swaggerRoutes({ mayRead, hasDemo, ...deps }: SwaggerDeps): readonly Route[] {
  const page = renderPage(<SwaggerPage hasDemo={hasDemo} hasSwagger />);
  const document = createLazyHandler(async () => {
    const { createDocument } = await import('./document.ts');
    return contentsOf('application/json', await createDocument(deps));
  });

  async function guarded(request: Request, read: () => Awaitable<Response>): Promise<Response> {
    if (mayRead === undefined || (await mayRead(request))) return read();
    const headers = { Location: '/portal/login?return=%2Fswagger', 'Cache-Control': 'no-store' };
    return new Response(null, { status: 303, headers });
  }

  return [
    ...SWAGGER_FILES.map(fileRoute),
    {
      method: 'GET',
      path: '/swagger',
      handle: (request) => guarded(request, () => new Response(page, { headers: PAGE_HEADERS })),
      operation: GET_SWAGGER_UI,
    },
    {
      method: 'GET',
      path: '/swagger/json',
      handle: (request) => guarded(request, () => document(request, 'no-cache')),
      operation: GET_DOCUMENT,
    },
  ];
}

function SwaggerPage(pages: PublicPages) {
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
