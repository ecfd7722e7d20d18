import { Elysia } from 'elysia';
import { createFileHandler, HIDDEN, IMMUTABLE } from './assets.ts';
import { hashOf } from './etag.ts';

type Table = { readonly [tag: string]: { readonly dir: string; readonly texts: object } };

/**
 * Routes of the widget's translations, one file per language: `/widget/lang/de.0123456789abcdef.json`. All names contain the same
 * hash of the whole table, so the script contains only this one hash.
 *
 * @param table the text of `static/languages.json`
 */
export function widgetLanguageRoutes(table: string) {
  const routes = new Elysia();
  const version = hashOf(table);
  for (const [tag, { dir, texts }] of Object.entries(JSON.parse(table) as Table)) {
    const plain = Buffer.from(JSON.stringify({ dir, texts }));
    const serve = createFileHandler({
      type: 'application/json',
      etag: `"${version}"`,
      isPublic: true,
      plain: () => plain,
      zipped: Bun.gzipSync(plain, { level: 9 }),
    });
    routes.get(`/widget/lang/${tag}.${version}.json`, ({ request }) => serve(request, IMMUTABLE), HIDDEN);
  }
  return routes;
}
