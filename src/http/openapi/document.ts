import { type AnyElysia, Elysia } from 'elysia';
import { components } from './components.ts';
import { introduction } from './introduction.ts';

export type DocumentDeps = {
  /** Asked when the document is: the face that serves it is one of them. */
  readonly routeGroups: () => readonly AnyElysia[];
  readonly baseUrl: string;
  readonly version: string;
};

/** The OpenAPI document, as JSON. */
export type OpenApiDocument = () => Promise<string>;

/** In the order in which the page shows them. */
const TAGS = [
  { name: 'Organizations', description: 'Who owns properties.' },
  { name: 'Properties', description: 'Protected sites. Batches that change them are tasks.' },
  { name: 'Tasks', description: 'How batches went.' },
  { name: 'Verification', description: 'For the backends of sites.' },
  { name: 'Puzzles', description: 'For pages; the widget does all of it.' },
  { name: 'Operation', description: 'For operators.' },
];

/** Where the plugin has its own page and document, in an app that nobody else asks. */
const PLUGIN_PATH = '/assembled';

/** OpenAPI 3.0 rather than 3.1: more generators read it. Put together when it is first asked for, and kept. */
export function createDocument(deps: DocumentDeps): OpenApiDocument {
  let kept: Promise<string> | undefined;
  return () => {
    kept ??= assemble(deps);
    return kept;
  };
}

/** An app that never serves: its routes are those of the faces, and the plugin tells of them. */
async function assemble({ routeGroups, baseUrl, version }: DocumentDeps): Promise<string> {
  // Its parts, page and themes, are half a megabyte that few servers ever need.
  const { swagger } = await import('@elysiajs/swagger');
  const app = new Elysia().use(
    swagger({
      path: PLUGIN_PATH,
      excludeMethods: [],
      excludeStaticFile: false,
      documentation: {
        info: { title: 'Postern', version, description: introduction(), license: { name: 'MIT' } },
        servers: [{ url: baseUrl }],
        tags: TAGS,
        components: components(),
      },
    }),
  );
  for (const face of routeGroups()) app.use(face);
  await app.modules;
  const response = await app.handle(new Request(`http://localhost${PLUGIN_PATH}/json`));
  if (!response.ok) throw new Error(`the document was not assembled: status ${response.status}`);
  return response.text();
}
