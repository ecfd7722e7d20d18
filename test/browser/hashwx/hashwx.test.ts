import { expect, test } from 'bun:test';
import { BUTTON, COUNT_WORKERS, fastClock, isIn, usePostern, visit, WATCH_VIOLATIONS } from '../fixture.ts';
import { announced, OWN, usePuzzleKind } from '../puzzleKinds.ts';

/** 256 attempts for each of 8 solutions. */
const LEVEL = 100;
/** A level whose puzzle takes longer than the tests. */
const HARD_LEVEL = 230;

const { postern, serve, open, solve } = usePuzzleKind('hashwx', LEVEL);
const hard = usePostern({ level: HARD_LEVEL, challenge: 'hashwx', validitySeconds: 60 });

/** A prelude that runs a script in each worker before the solver. */
const inWorkers = (text: string) => `window.Blob = class extends Blob {
  constructor(parts, options) { super([${JSON.stringify(`${text};`)}, ...parts], options); }
};`;

/** A script that changes the speed of the clock that a worker uses to measure its solver. */
const workerClock = (speed: number) => `{
  const { performance } = self;
  Object.defineProperty(self, 'performance', { value: { now: () => ${speed} * performance.now() } });
}`;

/** Without this clock, the widget would request a BLAKE2b puzzle if other work delayed the JavaScript compiler by a second. */
const PATIENT_CLOCK = workerClock(1 / 50);

const MODULES = { version: 3, usedWasm: true };
const JAVASCRIPT = { version: 3, usedWasm: false };

test('workers from a file of the page’s origin use WebAssembly although the policy of the page lacks wasm-unsafe-eval', async () => {
  const policy = "default-src 'none'; script-src 'self'; connect-src {{postern}}; worker-src 'self'";
  // The widget requests puzzles from the server.
  const endpoint = `${postern.url}/puzzle`;
  const page = await serve(
    { ...OWN, postern: '', endpoint },
    { 'Content-Security-Policy': policy.replace('{{postern}}', postern.url) },
  );
  const website = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { body, headers } = await fetch(new URL(pathname, pathname === '/' ? page.url : postern.url));
      headers.delete('Content-Encoding');
      return new Response(body, { headers });
    },
  });
  const tab = await visit({ url: `http://localhost:${website.port}/` }, WATCH_VIOLATIONS);
  expect(await solve(tab)).toEqual(MODULES);
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  tab.close();
  await website.stop(true);
});

test.each<[why: string, page: { script?: string; policy?: string }]>([
  ['the browser has no WebAssembly', { script: 'delete self.WebAssembly' }],
  [
    'the policy lacks wasm-unsafe-eval',
    { policy: "default-src 'none'; script-src {{postern}}; connect-src {{postern}}; worker-src blob:" },
  ],
  [
    'the memory cannot be allocated',
    { script: "WebAssembly.Memory = class { constructor() { throw new RangeError('memory') } }" },
  ],
])('workers solve the puzzle in JavaScript if %s', async (_, { script = '', policy = '' }) => {
  const tab = await open({ policy, prelude: inWorkers(`${script};${PATIENT_CLOCK}`) });
  expect(await solve(tab)).toEqual(JAVASCRIPT);
  expect(announced(tab)).toEqual(['3']);
  tab.close();
});

test('the widget continues with a BLAKE2b puzzle if the browser has neither WebAssembly nor a fast interpreter', async () => {
  const cores = "Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 2 });";
  const tab = await open({ prelude: cores + inWorkers(`delete self.WebAssembly; ${workerClock(1000)}`) });
  expect((await solve(tab)).version).toBe(1);
  expect(announced(tab)).toEqual(['3', '1']);
  expect(tab.consoleLines).toContainEqual(expect.stringMatching(/solver: .*hashes per ms/));
  tab.close();
});

test('a device that is too slow starts again, and then shows that it is too slow', async () => {
  const tab = await open({ server: hard, prelude: fastClock(60) + COUNT_WORKERS });
  await tab.click(BUTTON);
  await tab.until(isIn('failed'));
  // The time limit for the start of a worker passes faster, too; then the last puzzles are BLAKE2b puzzles.
  expect(tab.consoleLines.at(-1)).toBe('error [postern] device-slow: ');
  expect(announced(tab)[0]).toBe('3');
  expect(await tab.evaluate<number>('openWorkers')).toBe(0);
  tab.close();
});
