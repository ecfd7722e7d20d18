import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import bundleFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import pageStyle from '../../../static/swagger.css' with { type: 'text' };
import starterFile from '../../../static/swagger.js' with { type: 'file' };
import operationsStyle from '../../../static/swaggerOperations.css' with { type: 'text' };
import { renderPage } from '../../jsx/runtime.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { fileRoute, hashedPath, ownAsset, toStaticFiles } from '../assets.ts';
import { hashOf } from '../etag.ts';
import { createLazyHandler, type FileContents, REVALIDATED, type StaticFile } from '../fileHandler.ts';
import { fileOperation, headers, type Operation } from '../operationDocs.ts';
import { PUBLIC_HEADERS, PublicPage, type PublicPages } from '../publicPage.tsx';
import type { Route } from '../router.ts';
import type { DocumentDeps } from './document.ts';

const STYLES = [pageStyle, operationsStyle].join('\n');
const STYLE = ownAsset('/swagger/postern-swagger.css', 'text/css', STYLES);

/** The files of the page. Scripts are loaded and compressed on the first request, because Swagger UI is 1.7 MB and few servers need it. */
export const SWAGGER_FILES: readonly StaticFile[] = [
  ...toStaticFiles([STYLE]),
  swaggerFile('/swagger/swagger-ui-bundle.js', 'text/javascript', bundleFile),
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
  const head = (
    <>
      <link rel="stylesheet" href={hashedPath(STYLE)} />
      <script src="/swagger/swagger-ui-bundle.js" defer />
      <script src="/swagger/postern-swagger.js" type="module" />
    </>
  );
  return (
    <PublicPage {...pages} area="api" layout="api" title="Postern API" head={head}>
      <main id="content" tabindex={-1}>
        <h1>Postern API</h1>
        <p class="lead">
          All operations of this server. Open one to see its parameters and responses, and send it with{' '}
          <em>Try it out</em>. Client generators read the <a href="/swagger/json">OpenAPI document</a>.
        </p>
        <KeyForm />
        <div id="swagger-ui">
          <noscript>
            <p>
              This page needs JavaScript. The <a href="/swagger/json">OpenAPI document</a> does not.
            </p>
          </noscript>
        </div>
      </main>
    </PublicPage>
  );
}

/** The field has no name, so that no browser can send the key as part of a URL. */
function KeyForm() {
  return (
    <form class="key">
      <label for="api-key">API key</label>
      <input id="api-key" class="secret" autocomplete="off" spellcheck={false} aria-describedby="key-hint" />
      <button type="submit">Use key</button>
      <output />
      <button type="reset" class="quiet">
        Forget key
      </button>
      <p id="key-hint" class="hint">
        This tab keeps the key until you close the tab. The key is sent only to this server, in a header, and
        never in a URL.
      </p>
    </form>
  );
}
