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

/** Hosts that may stand in a shipped text: examples, and this machine. */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\]|([a-z-]+\.)*example\.(com|org|net)|.*\$.*)$/;
/** Names of formats, which nobody fetches. */
const NAMESPACES = ['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xhtml'];
const URL_IN_TEXT = /\b(?:https?|wss?):\/\/([^/\s"'`<>)\\:]+)[^\s"'`<>)\\]*/g;

function foreignIn(text: string): string[] {
  return [...text.matchAll(URL_IN_TEXT)]
    .filter(([url, host = '']) => !OWN_HOST.test(host) && !NAMESPACES.some((name) => url.startsWith(name)))
    .map(([url]) => url);
}

/** The texts of a program without its comments. */
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

describe('no byte goes to a third party', () => {
  test('what looks for foreign addresses finds them', () => {
    expect(foreignIn('a https://cdn.example.org/x b')).toEqual([]);
    expect(foreignIn('<script src="https://cdn.jsdelivr.net/x.js">')).toEqual([
      'https://cdn.jsdelivr.net/x.js',
    ]);
    expect(foreignIn("url('//nothing') https://example.com.evil.test/")).toEqual([
      'https://example.com.evil.test/',
    ]);
    const code = "// https://a.test\nf('https://b.test', `https://c.test`)";
    expect(literalsOf('a.ts', code)).toEqual(['https://b.test', 'https://c.test']);
  });

  test('by a text of the program', async () => {
    const found = [];
    for (const file of filesAt('src/**/*.{ts,tsx}')) {
      const code = await textOf(file);
      if (!code.includes('://')) continue;
      for (const url of literalsOf(file, code).flatMap(foreignIn)) found.push(`${file}: ${url}`);
    }
    expect(found).toEqual([]);
  });

  test('by a file that is shipped beside it', async () => {
    const found = [];
    for (const file of filesAt('static/**/*.{css,html,js,json,svg,txt}')) {
      for (const url of foreignIn(withoutComments(await textOf(file)))) found.push(`${file}: ${url}`);
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
    // A file may be gone from the tree and not from the index yet.
    const read = texts.map(async (name) => [name, await textOf(name).catch(() => '')] as const);
    return Promise.all(read);
  }

  test('names no folder of anybody\u2019s machine', async () => {
    const machine = /(?:^|[\s"'`(=:])(\/(?:root|home|Users|work|workspace)\/[\w./-]*)/;
    const found = [];
    for (const [name, text] of await trackedTexts()) {
      const match = machine.exec(text)?.[1];
      if (match !== undefined) found.push(`${name}: ${match}`);
    }
    expect(found).toEqual([]);
  });

  test('reads the environment in config.ts alone', async () => {
    const found = [];
    for (const file of filesAt('src/**/*.{ts,tsx}')) {
      if (file === 'src/config.ts') continue;
      const code = withoutComments(await textOf(file));
      if (/\b(process|Bun|import\.meta)\.env\b/.test(code)) found.push(file);
    }
    expect(found).toEqual([]);
  });
});
