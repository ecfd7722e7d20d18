import { expect, test } from 'bun:test';
import { filesAt, textOf } from './tree.ts';

/** Every dialog is modal. The types in jsx/elements.ts allow a popover only for menus and for the component of dialogs. */

const COMPONENT = 'src/portal/components/dialog.tsx';

async function filesWith(pattern: string, wanted: RegExp): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of filesAt(pattern)) if (wanted.test(await textOf(file))) found.push(file);
  return found;
}

test('only one component is a dialog', async () => {
  expect(await filesWith('src/{portal,http}/**/*.tsx', /<dialog\b|role="(?:alert)?dialog"/)).toEqual([
    COMPONENT,
  ]);
});

test('no script creates a dialog or a popover', async () => {
  const creates =
    /createElement\(['"]dialog['"]\)|showPopover|\.show\(\)|\.popover\s*=|setAttribute\(['"](?:popover|role)['"], ['"](?:alert)?dialog/;
  expect(creates.test("document.createElement('dialog')")).toBe(true);
  expect(await filesWith('static/*.js', creates)).toEqual([]);
});
