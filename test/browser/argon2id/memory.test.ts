import { expect, test } from 'bun:test';
import { BUTTON } from '../fixture.ts';
import { usePuzzleKind } from '../puzzleKinds.ts';

const { open } = usePuzzleKind('argon2id', 152);

test('the widget continues with a BLAKE2b puzzle if the browser has no memory left for WebAssembly', async () => {
  const tab = await open();
  const allocated = await tab.evaluate<number>(`(() => {
    window.memories = [];
    try { for (;;) memories.push(new WebAssembly.Memory({ initial: 1, maximum: 65536 })); } catch {}
    return memories.length;
  })()`);
  expect(allocated).toBeGreaterThan(0);
  await tab.click(BUTTON);
  const requests = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/puzzle?'))";
  await tab.until(`${requests}.length >= 2`);
  const versions = `${requests}.map(({ name }) => new URL(name).searchParams.get('version'))`;
  expect(await tab.evaluate<string[]>(versions)).toEqual(['3', '1']);
  expect(tab.consoleLines).toContainEqual(expect.stringMatching(/solver: Error: RangeError: .*[Mm]emory/));
  // The next test may share the process.
  await tab.evaluate('void (window.memories = undefined)');
  await tab.cdp('HeapProfiler.collectGarbage');
  tab.close();
});
