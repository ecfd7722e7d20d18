/**
 * Renders the documentation for the executable: which files it consists of, and under which paths they are served.
 * `src/server/embeddedDocs.ts` calls `bundledDocs` as a macro.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { BundledDocs, DocsSection } from '../../src/http/docs/docs.ts';
import { ROOT } from '../build.ts';
import { cached } from '../cache.ts';
import { renderMarkdown } from './markdown.ts';

/** The programs whose changes can change the rendered pages. */
const PROGRAMS = ['documentation/pages.ts', 'documentation/markdown.ts', 'highlight.ts', 'cache.ts'].map(
  (name) => `build/${name}`,
);

/** @returns the documentation @throws Error that names the pages that cannot be rendered, and their broken links */
export function bundledDocs(): BundledDocs {
  try {
    const sources = listSources();
    const attached = listAttachedFiles().filter((file) => !isPicture(file));
    const files = [...sources.map(({ file }) => file), ...attached, ...PROGRAMS];
    return JSON.parse(cached('docs.json', files, () => JSON.stringify(renderDocs(sources))));
  } catch (error) {
    // This function is a macro, and Bun does not print the message of an error in a macro.
    process.stderr.write(
      `error: the documentation cannot be built\n${error instanceof Error ? error.message : error}\n`,
    );
    throw error;
  }
}

function renderDocs(sources: readonly Source[]): BundledDocs {
  const linked = new Set<string>();
  const options = {
    pages: new Map(sources.map(({ file, path }) => [file, path])),
    attached: new Map(listAttachedFiles().map((file) => [file, attachedPathOf(file)])),
    isInRepository: (file: string) => REPOSITORY_PAGE.test(file),
    onAttached: (file: string) => void linked.add(file),
  };
  const faults: string[] = [];
  const rendered = sources.flatMap((source) => {
    try {
      return [{ source, page: renderMarkdown(textOf(source.file), { ...options, file: source.file }) }];
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const pages = rendered.map(
    ({ source: { path, group, label }, page: { title, summary, intro, html, toc } }) => {
      return { path, group, label, title, summary, gzip: compressed(JSON.stringify({ intro, html, toc })) };
    },
  );
  const sections: DocsSection[] = rendered.flatMap(({ page: { sections } }, page) =>
    sections.map((section) => ({ page, ...section })),
  );
  const files = [...linked]
    .filter((file) => !isPicture(file))
    .map((file) => ({ path: attachedPathOf(file), gzip: compressed(textOf(file)) }));
  return { pages, files, search: compressed(JSON.stringify(sections)) };
}

/** Pictures are embedded as files, because the server need not keep them in memory. */
function isPicture(file: string): boolean {
  return file.endsWith('.png');
}

function compressed(text: string): string {
  return Bun.gzipSync(Buffer.from(text), { level: 9 }).toBase64();
}

/** A page of the documentation. */
type Source = {
  /** The path from the root: `docs/how-to/portal.md`. */
  readonly file: string;
  /** The path after `/docs/`: `how-to/portal`; empty for the first page. */
  readonly path: string;
  /** The heading of its group in the navigation. */
  readonly group: string;
  /** Its text in the navigation. */
  readonly label: string;
};

/** Pages outside of `docs` that the index does not list. */
const OTHER_PAGES: readonly Source[] = [
  { file: 'CHANGELOG.md', path: 'changelog', group: 'Project', label: 'Changelog' },
  { file: 'SECURITY.md', path: 'security-policy', group: 'Project', label: 'Report a vulnerability' },
];

/** Pages for contributors, which only the repository contains. Links to them become plain text. */
const REPOSITORY_PAGE = /^(?:docs\/project\/.+|ARCHITECTURE|CONTRIBUTING)\.md$/;

/** Other files that pages link to. */
const ATTACHED = ['deploy/**/*', 'docs/**/*.{json,yaml}', 'docs/images/*.{png,svg}', 'LICENSE'];

/** @returns the text of a file */
function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** @returns the pages in the order of the index, `docs/README.md`, which comes first @throws Error that names missing pages */
function listSources(): readonly Source[] {
  const first: Source = { file: 'docs/README.md', path: '', group: '', label: 'Overview' };
  const listed = pagesOfIndex(textOf(first.file));
  const missing = listed.filter(({ file }) => !existsSync(join(ROOT, file)));
  if (missing.length > 0)
    throw new Error(
      missing.map(({ file }) => `${first.file} links to ${file}, which does not exist`).join('\n'),
    );
  return [first, ...listed, ...OTHER_PAGES];
}

function pagesOfIndex(index: string): readonly Source[] {
  return index
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [group = ''] = part.split('\n');
      return [...part.matchAll(/^ *- \[([^\]]+)\]\(([^)#]+)\)/gm)].map(([, label = '', target = '']) => {
        const file = posix.join('docs', target);
        return { file, path: pathOf(file), group: group.trim(), label };
      });
    })
    .filter(({ file }) => !REPOSITORY_PAGE.test(file));
}

/** @returns the path after `/docs/` of a file in Markdown: `docs/migrate/README.md` is `migrate` */
function pathOf(file: string): string {
  return file.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '');
}

/** @returns the other files that pages can link to, as paths from the root */
function listAttachedFiles(): readonly string[] {
  const found = ATTACHED.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);
  return found.sort();
}

/** @returns the path after `/docs/` of a file that is not a page: `docs/images/x.png` is `images/x.png` */
function attachedPathOf(file: string): string {
  return file.replace(/^docs\//, '');
}
