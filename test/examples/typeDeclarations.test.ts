import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, textOf } from '../architecture/tree.ts';

/** Compiles `postern.d.ts` and the declarations of docs/how-to/frameworks.md, and compares them with the types of the widget. */

const SOURCE = 'packages/widget/src/postern.d.ts';

/** Fails to compile if the declarations differ from the types of the widget. */
const COMPARISON = `
import type { WIDGET_CHOICES } from '${join(ROOT, 'src/lib/widgetChoices.ts')}';
import type { Options, PageApi, WidgetHandle } from '${join(ROOT, 'src/widget/pageApi.ts')}';
import type { WidgetEvent } from '${join(ROOT, 'src/widget/widget.ts')}';
import type { PosternApi, PosternEvents, PosternHandle, PosternOptions } from './postern.d.ts';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Details<Kind> = Omit<Extract<WidgetEvent, { kind: Kind }>, 'kind'>;
type Documented<Kind extends string> = Omit<
  PosternEvents[\`postern:\${Kind}\` & keyof PosternEvents]['detail'], 'widget' | 'element'
>;
type Choices = { [name in keyof typeof WIDGET_CHOICES]: Required<PosternOptions>[name] & string };

export const same: readonly true[] = [
  true satisfies Same<keyof PosternHandle, keyof WidgetHandle>,
  true satisfies Same<ReturnType<PosternHandle['state']>, ReturnType<WidgetHandle['state']>>,
  true satisfies Same<keyof PosternApi, keyof PageApi>,
  true satisfies Same<keyof PosternOptions, keyof Options>,
  true satisfies Same<Choices, { [name in keyof typeof WIDGET_CHOICES]: (typeof WIDGET_CHOICES)[name][number] }>,
  true satisfies Same<keyof PosternEvents, \`postern:\${WidgetEvent['kind'] | 'init'}\`>,
  true satisfies Same<Documented<'progress'>, Details<'progress'>>,
  true satisfies Same<Documented<'finish'>, Details<'finish'>>,
  true satisfies Same<Documented<'reset'>, Details<'reset'>>,
  true satisfies Same<keyof Documented<'error'>, keyof Details<'error'>>,
];
export const documented: PosternApi = undefined as unknown as PageApi;
export const error: Documented<'error'> = undefined as unknown as Details<'error'>;
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
  const examples = Object.fromEntries([...blocks].map(([, title = '', code = '']) => [title, code]));
  return { ...examples, 'postern.d.ts': await textOf(SOURCE) };
}

test('the declarations compile, and agree with the widget', async () => {
  const files = await declarations();
  expect(Object.keys(files)).toEqual(['captcha.d.ts', 'listen.ts', 'postern.d.ts']);
  expect(await problemsIn({ ...files, 'comparison.ts': COMPARISON })).toEqual([]);
}, 120_000);

test('a wrong use of the declarations does not compile', async () => {
  const wrong = "window.postern?.autoWidget?.solve();\nexport {};\nimport './captcha.js';";
  const problems = await problemsIn({ ...(await declarations()), 'wrong.ts': wrong });
  expect(problems).toEqual(["Property 'solve' does not exist on type 'PosternHandle'."]);
}, 120_000);
