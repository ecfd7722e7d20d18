import { type Asset, hashedPath, integrityOf } from '../../src/http/assets.ts';
import { hashOf } from '../../src/http/etag.ts';
import { toArchive } from '../../src/http/widget/widgetArchive.ts';
import { LANGUAGES, WIDGET_FILES } from '../../src/server/embeddedFiles.ts';

/** A build of the widget that differs from the current one in every file. */
export type OlderWidget = {
  /** For `startServer`. */
  readonly archive: string;
  /** The immutable paths of its files. */
  readonly paths: readonly string[];
  readonly script: { readonly path: string; readonly integrity: string };
  /** The widget's label in German. */
  readonly germanLabel: string;
};

const assetAt = (path: string) => WIDGET_FILES.find((asset) => asset.path === path) as Asset;

/** @returns a file with other contents and the same effect */
function changed({ contents, ...asset }: Asset): Asset {
  const text = typeof contents === 'string' ? contents : Buffer.from(contents).toString();
  return { ...asset, contents: `${text}\n/* an older version */` };
}

export function createOlderWidget(): OlderWidget {
  const germanLabel = 'Ich bin kein Roboter';
  const languages = LANGUAGES.replace('Ich bin ein Mensch', germanLabel);
  const withLinks = (asset: Asset, links: readonly (readonly [Asset, Asset])[]): Asset => ({
    ...asset,
    contents: links.reduce(
      (text, [current, older]) =>
        text
          .replace(hashOf(current.contents), hashOf(older.contents))
          .replace(integrityOf(current, 'sha256'), integrityOf(older, 'sha256')),
      Buffer.from(asset.contents).toString().replace(hashOf(LANGUAGES), hashOf(languages)),
    ),
  });
  // `extras.js` contains the hashes of the solvers, and the scripts contain that of `extras.js`.
  const solvers = ['/widget/solver.js', '/widget/argon2id.js', '/widget/hashwx.js'].map(assetAt);
  const solverLinks = solvers.map((solver) => [solver, changed(solver)] as const);
  const extras = assetAt('/widget/extras.js');
  const links = [...solverLinks, [extras, withLinks(changed(extras), solverLinks)] as const];
  const files = WIDGET_FILES.map(
    (asset) => links.find(([{ path }]) => path === asset.path)?.[1] ?? withLinks(changed(asset), links),
  );
  const script = files.find(({ path }) => path === '/widget/postern.js') as Asset;
  return {
    archive: toArchive(files, languages),
    paths: [...files.map(hashedPath), `/widget/lang/de-AT.${hashOf(languages)}.json`],
    script: { path: hashedPath(script), integrity: integrityOf(script) },
    germanLabel,
  };
}
