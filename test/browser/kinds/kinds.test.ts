import { describe, expect, test } from 'bun:test';
import { parsePayload } from '../../../src/puzzle/solution.ts';
import { BROWSER } from '../../browsers.ts';
import { openTab } from '../../support/browser.ts';
import { BUTTON, COUNT_WORKERS, isIn, usePostern, WATCH_VIOLATIONS } from '../fixture.ts';
import {
  ALL_WIDGETS,
  announced,
  hasRequested,
  KINDS,
  solveAny,
  solverFiles,
  usePuzzleKind,
} from '../puzzleKinds.ts';

/** What puzzles of all kinds have in common. */

describe.each(KINDS)('a $challenge puzzle', ({ challenge, level, version, file }) => {
  const { postern, serve, open, solve } = usePuzzleKind(challenge, level);
  const hard = usePostern({ level: 230, challenge, validitySeconds: 60 });
  const solved = { version, usedWasm: true };
  const isBlake2b = challenge === 'blake2b';

  test('is solved, its solver alone is loaded, and the workers are closed', async () => {
    const tab = await open({ prelude: COUNT_WORKERS });
    expect(await solve(tab)).toEqual(solved);
    expect(announced(tab)).toEqual(['3']);
    expect([...new Set(solverFiles(tab))]).toEqual(file === undefined ? [] : [file]);
    expect(await tab.evaluate<number>('openWorkers')).toBe(0);
    expect(tab.consoleLines).toEqual([]);
    tab.close();
  });

  test.each([
    ['a strict policy', "worker-src blob:; script-src {{postern}} 'wasm-unsafe-eval'"],
    ['a nonce', "worker-src blob:; script-src {{postern}} 'nonce-bm9uY2U' 'wasm-unsafe-eval'"],
  ])('is solved under %s, without violations', async (_, directives) => {
    const policy = `default-src 'none'; connect-src {{postern}}; ${directives}`;
    const tab = await open({ policy, prelude: WATCH_VIOLATIONS });
    expect(await solve(tab)).toEqual(solved);
    expect(await tab.evaluate<string[]>('violations')).toEqual([]);
    tab.close();
  });

  const usesPage = challenge !== 'hashwx';

  test('is solved on the page’s own thread if the policy blocks workers, but a HashWX puzzle is replaced', async () => {
    const tab = await open({ policy: "worker-src 'none'" });
    expect((await solve(tab)).version).toBe(usesPage ? version : 1);
    // In WebKit, the constructor throws, so the widget knows it before it requests a puzzle.
    expect(announced(tab)).toEqual(BROWSER === 'webkit' ? ['2'] : usesPage ? ['3'] : ['3', '1']);
    tab.close();
  });

  // Two requests would count as two puzzles.
  test('is not HashWX if the page requires trusted types, which the widget knows before it requests a puzzle', async () => {
    const tab = await open({ policy: "require-trusted-types-for 'script'" });
    expect((await solve(tab)).version).toBe(usesPage ? version : 1);
    expect(announced(tab)).toEqual(['2']);
    tab.close();
  });

  test('is abandoned by a reset, which closes the workers', async () => {
    const tab = await open({ server: hard, prelude: COUNT_WORKERS });
    await tab.click(BUTTON);
    await tab.until(hasRequested(isBlake2b ? '/puzzle' : challenge, 1));
    await tab.until('openWorkers > 0');
    await tab.evaluate("postern.reset(document.querySelector('.postern-captcha'))");
    await tab.until(isIn('idle'));
    expect(await tab.evaluate<number>('openWorkers')).toBe(0);
    tab.close();
  });

  // `test/browser/noWasm` and `test/browser/vendors` contain the same for BLAKE2b.
  if (isBlake2b) return;

  test('is replaced with a BLAKE2b puzzle if the solver cannot be loaded', async () => {
    const tab = await open();
    await tab.block([challenge]);
    expect((await solve(tab)).version).toBe(1);
    await tab.block([]);
    expect(announced(tab)).toEqual(['3', '1']);
    tab.close();
  });

  test.each(ALL_WIDGETS)(
    'is solved by $script for elements of the class $css in $mode mode',
    async (values) => {
      const site = await serve(values);
      const tab = await openTab();
      await tab.goto(site.url);
      const payload = await solveAny(tab, values);
      expect(parsePayload(payload)?.puzzle).toMatchObject({ version, challenge });
      expect(await postern.verify(payload)).toMatchObject({ success: true, code: 0 });
      tab.close();
    },
  );
});
