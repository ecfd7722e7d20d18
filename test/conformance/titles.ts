import { join } from 'node:path';
import ts from 'typescript';
import { LAYERS } from '../layers.ts';
import { TESTS } from './evidence.ts';

const ROOT = join(import.meta.dir, '../..');

/** @returns the titles of the tests in a source text, as written: a title of `test.each` contains placeholders */
export function titlesIn(text: string): readonly string[] {
  const titles: string[] = [];
  const source = ts.createSourceFile('one.test.tsx', text, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      // `test.skip` and `test.todo` do not run.
      const isTest = /^test(?:\.concurrent)?(?:\.each\b|$)/.test(node.expression.getText(source));
      if (isTest && title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

/** Whether `npm test` runs a file. */
function isRun(file: string): boolean {
  return LAYERS.some(({ paths }) => paths.some((path) => `${file}/`.startsWith(`test/${path}/`)));
}

/** @returns the tests of the evidence that do not exist, or that `npm test` does not run */
export async function missingTests(): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const [name, [file, title]] of Object.entries(TESTS)) {
    const source = Bun.file(join(ROOT, file));
    const titles = (await source.exists()) ? titlesIn(await source.text()) : [];
    if (!titles.includes(title) || !isRun(file)) missing.push(`${name}: ${file}: ${title}`);
  }
  return missing;
}
