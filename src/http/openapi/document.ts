import { type AnyElysia, Elysia } from 'elysia';
import { components } from './components.ts';
import { introduction } from './introduction.ts';

export type DocumentDeps = {
  readonly baseUrl: string;
  readonly version: string;
};

/** In the order of the Swagger page. */
const TAGS = [
  { name: 'Organizations', description: 'Organizations own properties.' },
  {
    name: 'Properties',
    description: 'Websites that Postern protects. Changes are made in batches, which are tasks.',
  },
  {
    name: 'Rules',
    description:
      'Rules allow or block requests for puzzles, or change their difficulty. The first rule that matches a request decides.',
  },
  { name: 'Tasks', description: 'The results of batches.' },
  { name: 'API keys', description: 'An API key can rotate itself.' },
  { name: 'Verification', description: 'Backends use these operations to verify solutions.' },
  { name: 'Puzzles', description: 'The widget uses these operations to get puzzles for web pages.' },
  { name: 'Operation', description: 'Health checks and documentation.' },
];

/** The paths of the plugin's page and document in an app that only this function uses. */
const PLUGIN_PATH = '/document';

/**
 * Creates the OpenAPI document from the routes of the served app; each route carries its operation as `detail`. Version 3.0 because
 * more generators support it than 3.1. Routes have no schemas of Elysia, because Elysia would validate them before the API key is
 * checked (docs/project/decisions/0005-elysia-on-the-hot-path.md).
 */
export async function createDocument(served: AnyElysia, { baseUrl, version }: DocumentDeps): Promise<string> {
  // Loaded on demand: the plugin's page and themes need half a megabyte.
  const { swagger } = await import('@elysiajs/swagger');
  const plugin = swagger({
    path: PLUGIN_PATH,
    excludeMethods: [],
    excludeStaticFile: false,
    documentation: {
      info: { title: 'Postern', version, description: introduction(), license: { name: 'MIT' } },
      servers: [{ url: baseUrl }],
      tags: TAGS,
      components: components(),
    },
  });
  const app = new Elysia().use(plugin).use(served);
  await app.modules;
  const response = await app.handle(new Request(`http://localhost${PLUGIN_PATH}/json`));
  if (!response.ok) throw new Error(`cannot create the OpenAPI document: status ${response.status}`);
  return response.text();
}
