import { expect, test } from 'bun:test';
import ts from 'typescript';
import { filesAt, textOf } from '../architecture/tree.ts';
import { growthExponent, LINEAR_MAX } from '../support/growth.ts';

/**
 * Every regular expression of the server must take linear time, so that no request can block the process. The test finds them in
 * the source code, tries each one on a few thousand texts, and estimates how the time for the slowest texts grows with their size.
 */

/** These run in browsers and on the command line, on their own input. */
const IS_EXCLUDED = /^src\/(?:widget|cli)\//;

type Expression = { readonly file: string; readonly pattern: RegExp };

const files = filesAt('src/**/*.{ts,tsx}').filter((file) => !IS_EXCLUDED.test(file));
const sources = await Promise.all(
  files.map(async (file) => ts.createSourceFile(file, await textOf(file), ts.ScriptTarget.Latest, true)),
);
const expressions = sources.flatMap(expressionsIn);

function expressionsIn(source: ts.SourceFile): readonly Expression[] {
  const found = new Map<string, Expression>();
  visit(source, (node) => {
    if (!ts.isRegularExpressionLiteral(node)) return;
    const end = node.text.lastIndexOf('/');
    const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
    found.set(node.text, { file: source.fileName, pattern });
  });
  return [...found.values()];
}

function visit(node: ts.Node, onNode: (node: ts.Node) => void): void {
  onNode(node);
  node.forEachChild((child) => visit(child, onNode));
}

/** Beginnings that lead an expression to its repetitions. */
// biome-ignore format: one line is enough
const HEADS = ['', 'a', '0', ' ', '[', '<', '"', 'a@', 'a.', '1.1.1.1', '1:', '0.', 'https://a', 'http://a.b', '?sitekey=', '?', '/portal', '/portal/',
  'W/', 'gzip', 'gzip;', 'gzip;q=0', 'gzip;q=0.0', 'application/json', 'a+json', 'application/x-www-form-urlencoded', 'multipart/form-data',
  'postern_verify_', 'key-rate', '2026-01-01T00:00:00', 'SQLITE_BUSY', 'Edg', '-', '='];
/** One character of each class that an expression may repeat, and a few ambiguous texts. */
// biome-ignore format: one line is enough
const PUMPS = [' ', '\t', '\n', 'a', 'Z', '0', '7', 'f', 'x', '_', '-', '.', ',', ';', ':', '/', '\\', '?', '&', '=', '%', '+', '#', '@', '<', '>',
  '[', ']', '(', ')', '{', '}', '"', "'", '`', '^', '|', '\0', '\u00a0', '\u00e9', '\u0301', '\ufeff', '\u{1f6d2}', 'a ', 'a.', '0.', '::', '.-', 'a-', ' ;', '%41', 'aA0'];
/** Endings that prevent a match. */
const TAILS = ['', '\u0001', '!', 'a', ' x'];

const SHORT = 1_000;

type Shape = { readonly head: string; readonly pump: string; readonly tail: string };

const shapes: readonly Shape[] = HEADS.flatMap((head) =>
  PUMPS.flatMap((pump) => TAILS.map((tail) => ({ head, pump, tail }))),
);

function textOfSize({ head, pump, tail }: Shape, size: number): string {
  return head + pump.repeat(Math.ceil(size / pump.length)) + tail;
}

const shortTexts = shapes.map((shape) => textOfSize(shape, SHORT));

function apply(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0;
  if (pattern.global) text.replace(pattern, '');
  else pattern.exec(text);
}

/** Exponential time is noticeable with texts this short. */
const SHORTEST = 26;
const EXPONENTIAL_MS = 100;

/** @returns the slowest shapes, slowest first */
function worstFor(pattern: RegExp): readonly Shape[] {
  const timed = shapes.map((shape, index) => ({ shape, time: timeOf(pattern, shortTexts[index] ?? '') }));
  // Repeats the slowest ones, because a disturbed measurement is not slow twice.
  const again = slowest(timed, 40).map(({ shape, time }) => ({
    shape,
    time: Math.min(time, timeOf(pattern, textOfSize(shape, SHORT))),
  }));
  return slowest(again, 3).map(({ shape }) => shape);
}

function exponentialShapeFor(pattern: RegExp): Shape | undefined {
  const isExponential = (text: string) => timeOf(pattern, text) > EXPONENTIAL_MS;
  // Three times, because a busy machine may pause a process.
  return shapes.find((shape) => {
    const text = textOfSize(shape, SHORTEST);
    return isExponential(text) && isExponential(text) && isExponential(text);
  });
}

function slowest<T extends { readonly time: number }>(timed: readonly T[], count: number): readonly T[] {
  return timed.toSorted((a, b) => b.time - a.time).slice(0, count);
}

function timeOf(pattern: RegExp, text: string): number {
  const startedAt = performance.now();
  apply(pattern, text);
  return performance.now() - startedAt;
}

async function worstExponent(
  pattern: RegExp,
  attempts?: number,
): Promise<{ readonly exponent: number; readonly shape: Shape }> {
  const exponential = exponentialShapeFor(pattern);
  if (exponential !== undefined) return { exponent: Number.POSITIVE_INFINITY, shape: exponential };
  let worst = { exponent: Number.NEGATIVE_INFINITY, shape: { head: '', pump: '', tail: '' } };
  for (const shape of worstFor(pattern)) {
    const exponent = await growthExponent((size) => {
      const text = textOfSize(shape, size);
      return () => apply(pattern, text);
    }, attempts);
    if (exponent > worst.exponent) worst = { exponent, shape };
    if (exponent > LINEAR_MAX) break;
  }
  return worst;
}

test.each(expressions.map(({ file, pattern }) => [file, pattern] as const))(
  'in %s, %p takes linear time',
  async (_, pattern) => {
    const { exponent, shape } = await worstExponent(pattern);
    expect(exponent, JSON.stringify(shape)).toBeLessThan(LINEAR_MAX);
  },
);

test.each([[/[ \t]+$/], [/^[\d.]*\.+\d*$/], [/^(?:a|a)*$/]])(
  '%p is detected as nonlinear',
  async (pattern) => {
    // One attempt, because each one takes long if the time is not linear.
    expect((await worstExponent(pattern, 1)).exponent).toBeGreaterThan(LINEAR_MAX);
  },
);

/** Files that create expressions at run time: alternatives of constant texts, or of the escaped words of a search. */
const DYNAMIC = ['src/http/router.ts', 'src/portal/properties/snippets.ts'];

test('all other expressions are literals', () => {
  const dynamic = sources.filter((source) => {
    let isDynamic = false;
    visit(source, (node) => {
      const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
      if (isCall && node.expression.getText() === 'RegExp') isDynamic = true;
    });
    return isDynamic;
  });
  expect(dynamic.map(({ fileName }) => fileName)).toEqual(DYNAMIC);
});
