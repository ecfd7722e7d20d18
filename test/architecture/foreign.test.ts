import { describe, expect, test } from 'bun:test';
import {
  createSourceFile,
  forEachChild,
  isStringLiteralLike,
  isTemplateExpression,
  type Node,
  ScriptTarget,
} from 'typescript';
import { filesAt, run, textOf } from './tree.ts';

/** Hosts that shipped files may contain: examples and the local machine. */
const ALLOWED_HOST = /^(localhost|127\.0\.0\.1|\[::1\]|([a-z-]+\.)*example\.(com|org|net)|.*\$.*)$/;
/** XML namespaces, which are never fetched. */
const NAMESPACES = ['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xhtml'];
/** The default CA, which the server contacts only if automatic HTTPS is on. */
const DEFAULT_CA = 'https://acme-v02.api.letsencrypt.org/directory';
const URL_IN_TEXT = /\b(?:https?|wss?):\/\/([^/\s"'`<>)\\:]+)[^\s"'`<>)\\]*/g;

function findForeignUrls(text: string): string[] {
  return [...text.matchAll(URL_IN_TEXT)]
    .filter(
      ([url, host = '']) =>
        url !== DEFAULT_CA && !ALLOWED_HOST.test(host) && !NAMESPACES.some((name) => url.startsWith(name)),
    )
    .map(([url]) => url);
}

/** The string literals of a program. */
function literalsOf(file: string, code: string): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (isStringLiteralLike(node)) found.push(node.text);
    else if (isTemplateExpression(node)) found.push(node.getText());
    forEachChild(node, visit);
  };
  const source = createSourceFile(file, code, ScriptTarget.ESNext, true);
  visit(source);
  return found;
}

const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/<!--[\s\S]*?-->/g, '');

describe('URLs of third parties', () => {
  test('are found by the search', () => {
    expect(findForeignUrls('a https://cdn.example.org/x b')).toEqual([]);
    expect(findForeignUrls('<script src="https://cdn.jsdelivr.net/x.js">')).toEqual([
      'https://cdn.jsdelivr.net/x.js',
    ]);
    expect(findForeignUrls("url('//nothing') https://example.com.evil.test/")).toEqual([
      'https://example.com.evil.test/',
    ]);
    const code = "// https://a.test\nf('https://b.test', `https://c.test`)";
    expect(literalsOf('a.ts', code)).toEqual(['https://b.test', 'https://c.test']);
  });

  test('do not occur in string literals of the program', async () => {
    const found = [];
    for (const file of filesAt('src/**/*.{ts,tsx}')) {
      const code = await textOf(file);
      if (!code.includes('://')) continue;
      for (const url of literalsOf(file, code).flatMap(findForeignUrls)) found.push(`${file}: ${url}`);
    }
    expect(found).toEqual([]);
  });

  test('do not occur in static files', async () => {
    const found = [];
    for (const file of filesAt('static/**/*.{css,html,js,json,svg,txt}')) {
      for (const url of findForeignUrls(withoutComments(await textOf(file)))) found.push(`${file}: ${url}`);
    }
    expect(found).toEqual([]);
  });
});

describe('the repository', () => {
  const SELF = 'test/architecture/foreign.test.ts';

  async function trackedTexts(): Promise<readonly (readonly [string, string])[]> {
    const { exitCode, output } = await run('git', 'ls-files', '-z');
    expect(exitCode).toBe(0);
    const names = output.split('\0').filter((name) => name !== '' && name !== SELF && name !== 'bun.lock');
    const texts = names.filter((name) => !/\.(wasm|png|ico|woff2|gz)$/.test(name));
    // A file may be deleted in the working tree, but not in the index yet.
    const read = texts.map(async (name) => [name, await textOf(name).catch(() => '')] as const);
    return Promise.all(read);
  }

  test('contains no absolute path of a development machine', async () => {
    const machine = /(?:^|[\s"'`(=:])(\/(?:root|home|Users|work|workspace)\/[\w./-]*)/;
    const found = [];
    for (const [name, text] of await trackedTexts()) {
      const match = machine.exec(text)?.[1];
      if (match !== undefined) found.push(`${name}: ${match}`);
    }
    expect(found).toEqual([]);
  });

  test('reads the environment only in config.ts', async () => {
    const found = [];
    for (const file of filesAt('src/**/*.{ts,tsx}')) {
      if (file === 'src/config.ts') continue;
      const code = withoutComments(await textOf(file));
      if (/\b(process|Bun|import\.meta)\.env\b/.test(code)) found.push(file);
    }
    expect(found).toEqual([]);
  });
});
