/** Which files the server's documentation consists of, and under which paths they are served. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The folder that contains `docs`. */
export const ROOT = join(import.meta.dir, '..');

/** A page of the documentation. */
export type Source = {
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
const PROJECT_PAGES: readonly Source[] = [
  { file: 'CHANGELOG.md', path: 'changelog', group: 'Project', label: 'Changelog' },
  { file: 'SECURITY.md', path: 'security-policy', group: 'Project', label: 'Security policy' },
  { file: 'CONTRIBUTING.md', path: 'contributing', group: 'Project', label: 'Contributing' },
];

/** Other files that pages link to. */
const ATTACHED = ['deploy/**/*', 'docs/**/*.json', 'docs/images/*.{png,svg}', 'LICENSE'];

/** @returns the text of a file */
export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** @returns the pages in the order of the index, `docs/README.md`, which comes first */
export function listSources(): readonly Source[] {
  const first: Source = { file: 'docs/README.md', path: '', group: '', label: 'Overview' };
  return [first, ...pagesOfIndex(textOf(first.file)), ...PROJECT_PAGES];
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
    });
}

/** @returns the path after `/docs/` of a file in Markdown: `docs/migrate/README.md` is `migrate` */
function pathOf(file: string): string {
  return file
    .replace(/^docs\//, '')
    .replace(/(?:\/README)?\.md$/, '')
    .replace('ARCHITECTURE', 'architecture');
}

/** @returns the other files that pages can link to, as paths from the root */
export function listAttachedFiles(): readonly string[] {
  const found = ATTACHED.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);
  return found.sort();
}

/** @returns the path after `/docs/` of a file that is not a page: `docs/images/x.png` is `images/x.png` */
export function attachedPathOf(file: string): string {
  return file.replace(/^docs\//, '');
}
