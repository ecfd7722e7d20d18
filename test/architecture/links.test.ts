import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { SUMMARIES, UNLIMITED_EVENTS } from '../../src/model/logEvents.ts';
import { filesAt, ROOT, textOf } from './tree.ts';

const pages = [...filesAt('*.md'), ...filesAt('docs/**/*.md')];

/** Paths in the text: of files in folders, and of anything in a folder of the repository. */
const NAMED_FILE =
  /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|json|md|sql|py|c|css|js|ya?ml|wasm)|(?:src|test|build|deploy|static|packages|migrations)\/[\w./-]+)`/g;
/** Paths that a server serves, of a file that a decision replaced, and with a placeholder. */
const OTHER_FILES = [
  'lang/de-AT.0123456789abcdef.json',
  'lang/TAG.HASH.json',
  'lib/html.ts',
  'test/storage/fixtures/VERSION',
];

/** Markdown without code, which may contain brackets that are not links. */
function proseOf(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));
}

/** The anchors of a page's headings, in GitHub's format. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} +(.+)$/gm);
  for (const [, heading = ''] of headings) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** @returns the problem of a link; undefined if the link is valid */
async function checkLink(page: string, target: string): Promise<string | undefined> {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path));
  if (file.startsWith('..')) return `${page}: ${target} leaves the repository`;
  if (!existsSync(posix.join(ROOT, file))) return `${page}: ${target} does not exist`;
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  return anchorsOf(await textOf(file)).has(anchor) ? undefined : `${page}: ${target} has no such heading`;
}

describe('the pages', () => {
  test('exist', () => {
    expect(pages.length).toBeGreaterThan(10);
  });

  test('link to pages and headings that exist', async () => {
    const wrong: string[] = [];
    for (const page of pages) {
      const targets = [...proseOf(await textOf(page)).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(
        ([, target = '']) => target,
      );
      for (const target of targets) {
        if (/^[a-z]+:/i.test(target)) continue;
        const found = await checkLink(page, target);
        if (found !== undefined) wrong.push(found);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('name only files and folders that exist', async () => {
    const files = filesAt('**/*').filter((file) => !file.startsWith('node_modules/'));
    const paths = new Set(
      files.flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(at).join('/'))),
    );
    const folders = new Set(files.map((file) => posix.dirname(file)));
    const isFolder = (name: string) => [...folders].some((folder) => `${folder}/`.startsWith(`${name}/`));
    const wrong: string[] = [];
    let named = 0;
    for (const page of pages.filter((name) => name !== 'CHANGELOG.md')) {
      for (const [, name = ''] of (await textOf(page)).matchAll(NAMED_FILE)) {
        named++;
        const path = name.replace(/\/$/, '');
        if (!paths.has(path) && !isFolder(path) && !OTHER_FILES.includes(name))
          wrong.push(`${page}: ${name}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(named).toBeGreaterThan(100);
  });

  test('contain the pages and headings that docstrings name', async () => {
    const wrong: string[] = [];
    for (const file of [...filesAt('src/**/*.{ts,tsx}'), ...filesAt('build/**/*.ts')]) {
      for (const [, target = ''] of (await textOf(file)).matchAll(/\b(docs\/[\w/-]+\.md(?:#[\w-]+)?)/g)) {
        const found = await checkLink('README.md', target);
        if (found !== undefined) wrong.push(`${file}: ${found}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('docs/reference/logs.md', () => {
  test('lists every log event with its level, and no others', async () => {
    const logged = new Map<string, string>();
    for (const file of filesAt('src/**/*.{ts,tsx}')) {
      const calls = (await textOf(file)).matchAll(/\blog\.(debug|info|warn|error)\(\s*'([a-z-]+)'/g);
      for (const [, level = '', event = ''] of calls) logged.set(event, level);
      const noted = (await textOf(file)).matchAll(
        /\b(?:securityLog\.record|recordSecurityEvent)\(\s*'([a-z-]+)'/g,
      );
      for (const [, event = ''] of noted) logged.set(event, 'info');
    }
    for (const { event, level } of Object.values(SUMMARIES)) logged.set(event, level);
    const table = (await textOf('docs/reference/logs.md')).matchAll(
      /^\| `([a-z-]+)` \| (debug|info|warn|error) \|/gm,
    );
    const listed = new Map([...table].map(([, event = '', level = '']) => [event, level]));
    expect([...listed].sort()).toEqual([...logged].sort());
    expect(logged.size).toBeGreaterThan(10);
  });

  test('names the events without a limit', async () => {
    const limits = (await textOf('docs/reference/logs.md')).split('### Limits')[1]?.split('###')[0] ?? '';
    for (const event of UNLIMITED_EVENTS) expect(limits).toContain(`\`${event}\``);
  });
});
