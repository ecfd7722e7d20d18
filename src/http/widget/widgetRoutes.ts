import { exactPathOf } from '../../lib/target.ts';
import { createFileHandler, type FileHandler, IMMUTABLE, zipped } from '../fileHandler.ts';
import { fileOperation } from '../operationDocs.ts';
import { preflightResponse } from '../preflight.ts';
import type { RequestContext } from '../requestContext.ts';
import type { Route } from '../router.ts';
import type { WidgetFile } from './widgetArchive.ts';
import type { WidgetBuilds } from './widgetBuilds.ts';

export type WidgetRoutesDeps = {
  /** Finds a language of this server's build by its path. */
  readonly findLanguage: (path: string) => WidgetFile | undefined;
  /** The builds of other versions. */
  readonly builds: Pick<WidgetBuilds, 'find'>;
  readonly requestContext: Pick<RequestContext, 'idOf'>;
};

/** The description of the widget's script in the OpenAPI document. */
export const GET_WIDGET_SCRIPT = fileOperation(
  {
    operationId: 'getWidgetScript',
    tags: ['Puzzles'],
    summary: 'Get the widget',
    description:
      'Returns the script that pages load. The script is also available at a path with a hash of its content, `/widget/postern.<16 hexadecimal digits>.js`, where it never changes.',
  },
  'The script.',
  'text/javascript',
  { isPublic: true },
);

/** The folders of the scripts and of the files that they load. */
const FOLDERS = ['/widget/*', '/recaptcha/*', '/1/*', '/turnstile/*', '/altcha/*', '/cap/*'];

/**
 * Routes of the widget's files that have no route of their own: the languages, and all files of other builds. Their responses have the
 * same headers as those of the current build. Also responds to preflights for all files in these folders.
 */
export function widgetRoutes({ findLanguage, builds, requestContext }: WidgetRoutesDeps): readonly Route[] {
  const handlers = new WeakMap<WidgetFile, FileHandler>();

  function handlerOf(file: WidgetFile): FileHandler {
    const known = handlers.get(file);
    if (known) return known;
    const { type, etag, contents } = file;
    const common = { type, etag, isPublic: true, zipped: zipped(contents) };
    const serve = createFileHandler({ ...common, plain: () => contents });
    handlers.set(file, serve);
    return serve;
  }

  async function serve(request: Request): Promise<Response | undefined> {
    const path = exactPathOf(request);
    const file = findLanguage(path) ?? (await builds.find(path));
    return file && handlerOf(file)(request, IMMUTABLE);
  }

  const respondToPreflight = (request: Request) => preflightResponse(request, requestContext);
  return FOLDERS.flatMap((path) => [
    { method: 'GET', path, handle: serve },
    { method: 'OPTIONS', path, handle: respondToPreflight },
  ]);
}
