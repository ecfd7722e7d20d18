import { describe, expect, test } from 'bun:test';
import ts from 'typescript';
import { runCommandLine } from '../../src/cli/run.ts';
import { findBannedWords } from '../support/language.ts';
import { filesAt, textOf } from './tree.ts';

/** Sources and documents, with their comments, texts, and identifiers. */
const FILES = [
  '*.md',
  'docs/**/*.md',
  'build/*.ts',
  'build/documentation/*.ts',
  'src/*.ts',
  'src/{acme,backup,captcha,cli,http,jobs,jsx,lib,model,platform,portal,puzzle,server,storage,widget}/**/*.ts',
  'src/**/*.tsx',
  'static/*.{css,js}',
  'static/portal/en.json',
];

/** Test files, of which only the titles are checked. */
const TESTS = ['test/**/*.test.ts', 'test/**/*.test.tsx', 'test/contract/*.ts'];

async function findIn(file: string, text: string | Promise<string>): Promise<readonly string[]> {
  return findBannedWords(await text).map(
    ({ word, write, excerpt }) => `${file}: "${word}" (${write}) in: ${excerpt}`,
  );
}

/** The titles of all tests and groups of tests in a file. */
async function titlesOf(file: string): Promise<string> {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const isTest = /^(test|describe)/.test(node.expression.getText(source));
      const isText = title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title));
      if (isTest && isText) titles.push(title.getText(source));
    }
    ts.forEachChild(node, visit);
  };
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  } as const;
  const source = ts.createSourceFile(file, await textOf(file), options);
  visit(source);
  return titles.join('\n');
}

async function openApiDocument(): Promise<string> {
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  const code = await runCommandLine(['openapi'], { environment: {}, out, err: out, stdin: async () => '' });
  expect(code).toBe(0);
  return lines.join('\n');
}

describe('banned words do not occur', () => {
  test.each(FILES)('in %s', async (pattern) => {
    const files = filesAt(pattern);
    expect(files).not.toEqual([]);
    const found = await Promise.all(files.map((file) => findIn(file, textOf(file))));
    expect(found.flat()).toEqual([]);
  });

  test.each(TESTS)('in the titles of %s', async (pattern) => {
    const files = filesAt(pattern);
    expect(files).not.toEqual([]);
    const found = await Promise.all(files.map((file) => findIn(file, titlesOf(file))));
    expect(found.flat()).toEqual([]);
  });

  test('in the OpenAPI document', async () => {
    expect(await findIn('the OpenAPI document', openApiDocument())).toEqual([]);
  });
});

describe('the search for banned words', () => {
  test.each([
    ['// Whoever comes anew', ['Whoever', 'anew']],
    ['const siteOwner = SITE_NAME', ['site', 'SITE']],
    ["'the second step'", ['second step']],
    ['the organisation recognises colour', ['organisation', 'recognises', 'colour']],
    ['const websites = { sitekey, siteverify, surface, interface: promise }', []],
    ['there is no key; this is not one of them; exercise otherwise', []],
  ])('finds in %p: %p', (text, words) => {
    const found = findBannedWords(text).map(({ word }) => word);
    expect(found.toSorted()).toEqual(words.toSorted());
  });

  test('sees the titles of tests with and without a table', async () => {
    expect(await titlesOf('test/architecture/language.test.ts')).toContain("'finds in %p: %p'");
    expect(await titlesOf('test/config.test.ts')).toContain('can come from a file %s');
  });
});
