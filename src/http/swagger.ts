import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type AnyElysia, Elysia } from 'elysia';
import styleFile from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundleFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import ownStyleFile from '../../static/swagger.css' with { type: 'file' };
import starterFile from '../../static/swagger.js' with { type: 'file' };
import type { Awaitable } from '../lib/awaitable.ts';
import { html } from '../lib/html.ts';
import { type Contents, createServe, HIDDEN, REVALIDATED } from './assets.ts';
import { PAGE_SECURITY_POLICY } from './commonHeaders.ts';
import { hashOf } from './etag.ts';
import { createDocument, type DocumentDeps } from './openapi/document.ts';
import { OPERATIONS } from './openapi/operations.ts';

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': PAGE_SECURITY_POLICY,
  'Cache-Control': 'no-cache',
};

export type SwaggerDeps = DocumentDeps & {
  /** Whether a request may read the page and the document; undefined if every request may. */
  readonly mayRead: ((request: Request) => Promise<boolean>) | undefined;
};

/** `GET /swagger`: Swagger UI, all of it from here. `GET /swagger/json`: the document of these faces and this one. */
export function swaggerRoutes({ routeGroups, mayRead, ...facts }: SwaggerDeps) {
  const document = createDocument({ ...facts, routeGroups: () => [...routeGroups(), face] });
  const json = createLazy(async () => contentsOf('application/json', await document()));
  const face: AnyElysia = new Elysia()
    .get('/swagger', ({ request }) => guarded(request, () => new Response(PAGE, { headers: PAGE_HEADERS })), {
      detail: OPERATIONS.getSwaggerUi,
    })
    .get('/swagger/json', ({ request }) => guarded(request, () => json(request, 'no-cache')), {
      detail: OPERATIONS.getOpenApiDocument,
    });

  async function guarded(request: Request, read: () => Awaitable<Response>): Promise<Response> {
    if (mayRead === undefined || (await mayRead(request))) return read();
    const headers = { Location: '/portal/login?return=%2Fswagger', 'Cache-Control': 'no-store' };
    return new Response(null, { status: 303, headers });
  }

  for (const [path, type, file] of FILES) {
    const serve = createLazy(() => contentsOfFile(type, file));
    face.get(path, ({ request }) => serve(request, REVALIDATED), HIDDEN);
  }
  return face;
}

const FILES = [
  ['/swagger/swagger-ui.css', 'text/css', styleFile],
  ['/swagger/swagger-ui-bundle.js', 'text/javascript', bundleFile],
  ['/swagger/postern-swagger.css', 'text/css', ownStyleFile],
  ['/swagger/postern-swagger.js', 'text/javascript', starterFile],
] as const;

const PAGE = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/swagger/swagger-ui.css">
<link rel="stylesheet" href="/swagger/postern-swagger.css">
<script src="/swagger/swagger-ui-bundle.js" defer></script>
<script src="/swagger/postern-swagger.js" type="module"></script>
</head>
<body>
<main id="swagger-ui">
<noscript><p>This page needs JavaScript. The <a href="/swagger/json">OpenAPI document</a> does not.</p></noscript>
</main>
</body>
</html>
`.markup;

/** Reads and zips when it is first asked for: few servers ever are, and Swagger UI has 2 MB. */
function createLazy(load: () => Promise<Contents>) {
  let serve: ReturnType<typeof createServe> | undefined;
  return async (request: Request, caching: string): Promise<Response> => {
    serve ??= createServe(await load());
    return serve(request, caching);
  };
}

async function contentsOf(type: string, text: string): Promise<Contents> {
  const plain = Buffer.from(text);
  return { type, etag: `"${hashOf(text)}"`, isPublic: false, plain: () => plain, zipped: await zip(text) };
}

/** Only the zipped bytes stay in memory; who wants them plain, gets them from the file in the binary. */
async function contentsOfFile(type: string, path: string): Promise<Contents> {
  const file = Bun.file(path);
  const text = await file.text();
  return { type, etag: `"${hashOf(text)}"`, isPublic: false, plain: () => file, zipped: await zip(text) };
}

/** On another thread: puzzles do not wait for it. */
async function zip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return promisify(gzip)(text, { level: 9 });
}
