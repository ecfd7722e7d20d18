import { expect, test } from 'bun:test';
import { BUTTON, COUNT_WORKERS, fastClock, isIn, usePostern } from '../fixture.ts';
import { announced, hasRequested, inEachWorker, usePuzzleKind } from '../puzzleKinds.ts';

/** The lowest level of argon2id puzzles: 8 attempts for each of 8 solutions. */
const LEVEL = 152;
/** A level whose puzzle takes longer than the tests. */
const HARD_LEVEL = 210;

const { open, solve } = usePuzzleKind('argon2id', LEVEL);
const hard = usePostern({ level: HARD_LEVEL, challenge: 'argon2id', validitySeconds: 60 });

const ARGON2ID = { version: 2, usedWasm: true };

test('the scalar kernel solves the puzzle in a browser without SIMD', async () => {
  // Workers validate the kernels, too.
  const withoutSimd = 'WebAssembly.validate = (bytes) => bytes.length < 6000;';
  const inWorkers = `window.Blob = class extends Blob {
    constructor(parts, options) { super(['${withoutSimd}', ...parts], options); }
  };`;
  const tab = await open({ prelude: withoutSimd + inWorkers });
  expect(await solve(tab)).toEqual(ARGON2ID);
  tab.close();
});

test.each([
  [
    'the browser has no WebAssembly',
    { prelude: `delete window.WebAssembly;${inEachWorker('delete self.WebAssembly')}` },
  ],
  [
    'the policy lacks wasm-unsafe-eval',
    { policy: "default-src 'none'; script-src {{postern}}; connect-src {{postern}}; worker-src blob:" },
  ],
  [
    'the device has little memory',
    { prelude: "Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => 0.25 });" },
  ],
])('the widget continues with a BLAKE2b puzzle if %s', async (_, page) => {
  const tab = await open(page);
  await tab.click(BUTTON);
  await tab.until(hasRequested('/puzzle', 2));
  expect(announced(tab)).toEqual(['3', '1']);
  expect(tab.consoleLines.some((line) => line.startsWith('error [postern] solver: '))).toBe(true);
  tab.close();
});

/** Fails to allocate memories larger than those for BLAKE2b. */
const FAIL_TO_ALLOCATE = `{
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (bytes, imports) => {
    if (bytes.length > 8000) throw new RangeError('cannot allocate memory');
    return instantiate(bytes, imports);
  };
}`;

test('fewer workers solve the puzzle if the memory suffices only for some of them', async () => {
  // The first two workers are those for BLAKE2b.
  const cores = "Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 2 });";
  const failInOne = `if (number === 2) ${FAIL_TO_ALLOCATE}`;
  const tab = await open({ prelude: cores + inEachWorker(failInOne) + COUNT_WORKERS });
  expect(await solve(tab)).toEqual(ARGON2ID);
  expect(announced(tab)).toEqual(['3']);
  tab.close();
});

test('the widget continues with a BLAKE2b puzzle if the memory cannot be allocated', async () => {
  const tab = await open({ prelude: FAIL_TO_ALLOCATE + inEachWorker(FAIL_TO_ALLOCATE) });
  expect(await solve(tab)).toEqual({ version: 1, usedWasm: true });
  expect(announced(tab)).toEqual(['3', '1']);
  expect(tab.consoleLines).toEqual(['error [postern] solver: Error: RangeError: cannot allocate memory']);
  tab.close();
});

test('a device that is too slow starts again, and then shows that it is too slow', async () => {
  const tab = await open({ server: hard, prelude: fastClock(60) + COUNT_WORKERS });
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  expect(tab.consoleLines).toEqual(['error [postern] device-slow: ']);
  expect(announced(tab)).toEqual(['3', '3', '3', '3']);
  expect(await tab.evaluate<number>('openWorkers')).toBe(0);
  tab.close();
});
