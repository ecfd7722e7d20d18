import { expect, test } from 'bun:test';
import { filesAt, textOf } from './tree.ts';

/** A pause until a later iteration of the event loop. */
const PAUSE =
  /new Promise(?:<void>)?\((?:setImmediate|\(\w*\) => set(?:Immediate|Timeout)\(\w+(?:, 0)?\))\)|Bun\.sleep\(0\)|\bscheduler\.yield\b/;

/** Modules that wait for bytes that may have arrived, and not for others to run. */
const ALLOWED = ['src/http/body.ts', 'src/server/threads/forwarding/bodyStart.ts'];

// Long work that pauses in its own way gets as many slices of an iteration as it has loops, and requests wait for all of them.
test('long work pauses with the pacer', async () => {
  const found = [];
  for (const file of filesAt('src/**/*.{ts,tsx}')) {
    if (file.startsWith('src/widget/')) continue;
    if (PAUSE.test(await textOf(file))) found.push(file);
  }
  expect(found.toSorted()).toEqual(ALLOWED);
});

// The synchronous parser reads a file of any size in one iteration of the event loop.
test('no module uses a synchronous parser of CSV files', async () => {
  const found = [];
  for (const file of filesAt('src/**/*.{ts,tsx}'))
    if (/csv-(?:parse|stringify)\/sync/.test(await textOf(file))) found.push(file);
  expect(found).toEqual([]);
});
