import { Elysia, NotFoundError } from 'elysia';
import { exactPathOf } from '../../lib/target.ts';
import { HIDDEN } from '../assets.ts';
import { createFileHandler, type FileHandler, IMMUTABLE } from '../fileHandler.ts';
import { preflightResponse } from '../preflight.ts';
import type { RequestContext } from '../requestContext.ts';
import { zipped } from '../zip.ts';
import type { WidgetFile } from './widgetBuild.ts';
import type { WidgetBuilds } from './widgetBuilds.ts';

export type WidgetRoutesDeps = {
  /** Finds a language of this server's build by its path. */
  readonly findLanguage: (path: string) => WidgetFile | undefined;
  /** The builds of other versions. */
  readonly builds: Pick<WidgetBuilds, 'find'>;
  readonly requestContext: Pick<RequestContext, 'idOf'>;
};

/** The folders of the scripts and of the files that they load. */
const FOLDERS = ['/widget/*', '/recaptcha/*', '/1/*', '/turnstile/*'];

/**
 * Routes of the widget's files that have no route of their own: the languages, and all files of other builds. Their responses have the
 * same headers as those of the current build. Also responds to preflights for all files in these folders.
 */
export function widgetRoutes({ findLanguage, builds, requestContext }: WidgetRoutesDeps) {
  const routes = new Elysia();
  const handlers = new WeakMap<WidgetFile, FileHandler>();

  function handlerOf(file: WidgetFile): FileHandler {
    const known = handlers.get(file);
    if (known) return known;
    const { type, etag, contents } = file;
    const serve = createFileHandler({
      type,
      etag,
      isPublic: true,
      plain: () => contents,
      zipped: zipped(contents),
    });
    handlers.set(file, serve);
    return serve;
  }

  for (const folder of FOLDERS) {
    routes.get(
      folder,
      async ({ request }) => {
        const path = exactPathOf(request);
        const file = findLanguage(path) ?? (await builds.find(path));
        if (file === undefined) throw new NotFoundError();
        return handlerOf(file)(request, IMMUTABLE);
      },
      HIDDEN,
    );
    routes.options(folder, ({ request }) => preflightResponse(request, requestContext), HIDDEN);
  }
  return routes;
}
