import { expect, test } from 'bun:test';
import ts from 'typescript';
import { BUNDLING } from '../../build/compile.ts';

/**
 * Nodes of the syntax tree. JavaScriptCore compiles a function at once, and the garbage collector, which stops all threads, waits for it:
 * a function of 8,700 nodes (an inlined table) stopped the server for 130 ms. The largest function of a package (the routes of Elysia) has
 * 6,500.
 */
const LIMIT = 7_000;

type LargeFunction = { readonly start: string; readonly nodes: number };

/** @returns the number of nodes of a function without those of the functions inside */
function countNodes(body: ts.Node): number {
  let nodes = 0;
  const visit = (node: ts.Node) => {
    nodes++;
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  visit(body);
  return nodes;
}

/** A function that contains a CommonJS module runs once, so it is never compiled. */
const isModule = (text: string) => /^function\s*\(\w+,\s*(\w+)\)\s*\{\s*\1\.exports\s*=/.test(text);

function largeFunctions(code: string): readonly LargeFunction[] {
  const found: LargeFunction[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const nodes = countNodes(node.body as ts.Node);
      const start = node.getText().slice(0, 200);
      if (nodes > LIMIT && !isModule(start)) found.push({ start, nodes });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS));
  return found;
}

test('no function of the bundle is so large that compiling it stops the server', async () => {
  const { outputs } = await Bun.build({ ...BUNDLING, target: 'bun', external: ['@node-rs/argon2'] });
  const chunks = outputs.filter(({ kind }) => kind === 'entry-point' || kind === 'chunk');
  expect(chunks.length).toBeGreaterThan(10);
  for (const chunk of chunks) expect(largeFunctions(await chunk.text())).toEqual([]);
});
