/**
 * Renders the documentation for the executable. `src/server/embeddedDocs.ts` calls `bundledDocs` as a macro.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledDocs, DocsSection } from '../src/http/docs/docs.ts';
import { hashOf } from '../src/http/etag.ts';
import { attachedPathOf, listAttachedFiles, listSources, ROOT, textOf } from './sources.ts';

/** The documentation. Every process that runs from source needs it, so it is cached until a source changes. */
export async function bundledDocs(): Promise<BundledDocs> {
  const file = join(ROOT, 'node_modules/.cache/postern', `${hashOf(sourceHashes())}.docs.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const docs = await renderDocs();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(docs));
  renameSync(`${file}.${process.pid}`, file);
  return docs;
}

/**
 * Renders the documentation.
 *
 * @throws Error if a page contains a link to a missing file
 */
async function renderDocs(): Promise<BundledDocs> {
  const { renderMarkdown } = await import('./markdown.ts');
  const sources = listSources();
  const linked = new Set<string>();
  const options = {
    pages: new Map(sources.map(({ file, path }) => [file, path])),
    attached: new Set(listAttachedFiles()),
    onAttached: (file: string) => void linked.add(file),
  };
  const rendered = sources.map((source) => {
    return { source, page: renderMarkdown(textOf(source.file), { ...options, file: source.file }) };
  });
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

function sourceHashes(): string {
  const attached = listAttachedFiles().filter((file) => !isPicture(file));
  const files = [...listSources().map(({ file }) => file), ...attached];
  const programs = ['sources', 'markdown', 'highlight', 'bundle'].map((name) => `documentation/${name}.ts`);
  return [...files, ...programs, 'bun.lock'].map((file) => `${file} ${hashOf(textOf(file))}`).join('\n');
}
