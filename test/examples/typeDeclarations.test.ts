import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, textOf } from '../architecture/tree.ts';

/** Compiles the declarations of docs/how-to/frameworks.md, and compares them with the types of the widget. */

/** Fails to compile if the widget lacks a method, or returns another type. */
const COMPARISON = `
import type { WidgetHandle } from '${join(ROOT, 'src/widget/pageApi.ts')}';
import type { PosternWidget } from './captcha.js';
export const documented: PosternWidget = undefined as unknown as WidgetHandle;
export const complete: Record<keyof WidgetHandle, unknown> = undefined as unknown as PosternWidget;
`;

async function problemsIn(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-types-'));
  try {
    for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
    const program = ts.createProgram(
      Object.keys(files).map((name) => join(folder, name)),
      {
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: [],
        lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
      },
    );
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function declarations(): Promise<Record<string, string>> {
  const page = await textOf('docs/how-to/frameworks.md');
  const blocks = page.matchAll(/^```ts title="(captcha\.d\.ts|listen\.ts)"\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, title = '', code = '']) => [title, code]));
}

test('the declarations compile, and agree with the widget', async () => {
  const files = await declarations();
  expect(Object.keys(files)).toEqual(['captcha.d.ts', 'listen.ts']);
  expect(await problemsIn({ ...files, 'comparison.ts': COMPARISON })).toEqual([]);
}, 120_000);

test('a wrong use of the declarations does not compile', async () => {
  const wrong = "window.postern?.autoWidget?.solve();\nexport {};\nimport './captcha.js';";
  const problems = await problemsIn({ ...(await declarations()), 'wrong.ts': wrong });
  expect(problems).toEqual(["Property 'solve' does not exist on type 'PosternWidget'."]);
}, 120_000);
