import { Elysia } from 'elysia';
import { filesOf } from './assetFiles.ts';
import { createLazyHandler } from './fileHandler.ts';
import type { Operation } from './openapi/builders.ts';

export type Asset = {
  readonly path: string;
  readonly type: string;
  readonly contents: string | Uint8Array<ArrayBuffer>;
  /** Whether pages of other origins may load it. */
  readonly isPublic: boolean;
  /** Its operation in the OpenAPI document; undefined if the document does not list it. */
  readonly detail?: Operation;
};

/** Hides a route from the OpenAPI document. */
export const HIDDEN = { detail: { hide: true } } as const;

/**
 * Routes of embedded files, which are compressed on their first request. Each file has a plain path, which caches revalidate,
 * and a path with the hash of its contents before the extension, which is immutable.
 */
export function assetRoutes(assets: readonly Asset[]) {
  const routes = new Elysia();
  for (const asset of assets) {
    const [plain, hashed] = filesOf(asset);
    const { detail } = asset;
    const serve = createLazyHandler(plain.load);
    routes.get(
      plain.path,
      ({ request }) => serve(request, plain.caching),
      detail === undefined ? HIDDEN : { detail },
    );
    routes.get(hashed.path, ({ request }) => serve(request, hashed.caching), HIDDEN);
  }
  return routes;
}
