import { toStaticFiles } from '../../http/assets.ts';
import { HOT_ROUTES } from '../../http/captcha/hotRoutes.ts';
import { DEMO_ASSETS } from '../../http/demo/demoPage.tsx';
import { DOCS_ASSETS } from '../../http/docs/docsPage.tsx';
import type { StaticFile } from '../../http/fileHandler.ts';
import { SWAGGER_FILES } from '../../http/openapi/swagger.tsx';
import { PUBLIC_ASSETS } from '../../http/publicPage.tsx';
import { toLabel } from '../../http/requestMeter.ts';
import { PORTAL_ASSETS } from '../../portal/kit/assets.tsx';
import type { AppContext } from '../context.ts';
import { WIDGET_FILES } from '../embeddedFiles.ts';

/** A file that request threads serve. */
export type SharedFile = Pick<StaticFile, 'path' | 'caching'> & {
  /** The route in the metrics. */
  readonly route: string;
};

/** The embedded files that request threads serve. */
export type StaticFiles = ReturnType<typeof createStaticFiles>;

/** The routes that request threads may serve, in the order of their counters. The settings determine which of the files exist. */
export function threadRoutes(): readonly { readonly method: string; readonly path: string }[] {
  const labels = [...COMMON_ASSETS, ...DEMO_ASSETS].flatMap(toLabels);
  const files = [...labels, ...SWAGGER_FILES.map(({ path }) => path)];
  return [
    ...HOT_ROUTES.map(({ method, path }) => ({ method, path })),
    ...files.map((path) => ({ method: 'GET', path })),
  ];
}

/** @returns the files of a server with these settings, except those whose paths contain placeholders */
export function createStaticFiles({ config, demo }: Pick<AppContext, 'config' | 'demo'>) {
  const assets = demo === undefined ? COMMON_ASSETS : [...COMMON_ASSETS, ...DEMO_ASSETS];
  const all = [...toStaticFiles(assets), ...(config.swagger === 'off' ? [] : SWAGGER_FILES)];
  const byPath = new Map(all.filter(({ path }) => !path.includes(':')).map((file) => [file.path, file]));
  return {
    files: Array.from(byPath.values(), ({ path, caching }) => ({ path, caching, route: toLabel(path) })),
    /** @throws RangeError if the server has no file with this path */
    load(path: string): ReturnType<StaticFile['load']> {
      const file = byPath.get(path);
      if (file === undefined) throw new RangeError(`There is no file at ${path}.`);
      return file.load();
    },
  };
}

const COMMON_ASSETS = [...WIDGET_FILES, ...PUBLIC_ASSETS, ...DOCS_ASSETS, ...PORTAL_ASSETS];

/** @returns the routes of an asset: its plain path, and the path with its hash */
function toLabels({ path }: { readonly path: string }): readonly string[] {
  return [path, path.replace(/(\.\w+)$/, '.:hash$1')];
}
