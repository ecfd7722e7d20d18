import { expect, test } from 'bun:test';
import ts from 'typescript';
import { filesAt, textOf } from './tree.ts';

/** Members of a request that read its body, or give access to it. */
const READERS = new Set(['text', 'json', 'arrayBuffer', 'formData', 'bytes', 'blob', 'body']);

/** The reader with the limits, the module that discards bodies, and the code that sends a body to the thread of the reader. */
const ALLOWED = new Set([
  'src/http/body.ts',
  'src/http/unreadBody.ts',
  'src/server/threads/forwarding/forwardedRequest.ts',
  'src/server/threads/forwarding/forwarder.ts',
]);

/** @returns where the code of a file reads the body of a request */
function readsIn(file: string, code: string): readonly string[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && READERS.has(node.name.text)) {
      const owner = node.expression.getText(source);
      if (/(^|[.)?!])\s*req(uest)?$/i.test(owner)) found.push(`${file}: ${node.getText(source)}`);
    }
    const isPattern = ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name);
    if (isPattern && /(^|\.)req(uest)?$/i.test(node.initializer?.getText(source) ?? '')) {
      for (const { propertyName, name } of node.name.elements)
        if (READERS.has((propertyName ?? name).getText(source)))
          found.push(`${file}: ${node.getText(source)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

// Other code would have no limit of the size, the rate, and the memory, or its own.
test('only these modules read the bodies of requests', async () => {
  const files = filesAt('src/{http,server,metrics,acme}/**/*.{ts,tsx}').filter((file) => !ALLOWED.has(file));
  const reads = await Promise.all(files.map(async (file) => readsIn(file, await textOf(file))));
  expect(reads.flat()).toEqual([]);
});

// Elysia reads the body of every other method, unless the route says that it does not.
test('no route lets the router read a body', async () => {
  const routes: string[] = [];
  // The app that creates the OpenAPI document receives no requests.
  const others = filesAt('src/{http,server}/**/*.{ts,tsx}').filter((file) => !file.endsWith('/document.ts'));
  for (const file of others) {
    const source = ts.createSourceFile(file, await textOf(file), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
        const { text } = node.expression.name;
        const isRoute = /^(post|put|patch|delete|all|route)$/.test(text);
        const path = node.arguments[text === 'route' ? 1 : 0]?.getText(source) ?? '';
        if (isRoute && /path$|^['"`][/$]/i.test(path) && node.arguments.length > 1)
          routes.push(node.arguments.map((each) => each.getText(source)).join());
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  expect(routes).toHaveLength(1);
  expect(routes.filter((route) => !/parse: 'none'/.test(route))).toEqual([]);
});

test('the search finds the ways to read a body', () => {
  const code = `await request.text(); const { body } = request; visit.request.body?.getReader(); response.json();`;
  expect(readsIn('x.ts', code)).toHaveLength(3);
});
