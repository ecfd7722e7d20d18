import { describe, expect, test } from 'bun:test';
import { filesAt, textOf } from './tree.ts';

/** Code that waits for another event than the end of the call that it made. Waiting for the next iteration is not such a wait. */
const WAITS = [
  /\bPromise\.withResolvers\b/,
  /\bnew Promise\b(?!\(setImmediate\)|(?:<void>)?\(\(resolve\) => setImmediate\(resolve\)\))/,
  /\bcreate(?:FairSemaphore|TickLimiter|SlidingWindow|Unanswered)[(<]/,
  /\bnew (?:Map|Set)<[^;]*\bPromise</,
  /\b(?:const|let) (?:waiting|waiters|queue|pending)\b[^;]*= (?:\[\]|new )/,
];

/** Words of the table for modules that keep no queue. */
const NO_QUEUE = 'no queue';

type Row = {
  readonly modules: readonly string[];
  readonly wakers: string;
  readonly deadline: string;
  readonly test: string;
};

async function readTable(): Promise<readonly Row[]> {
  const [, section = ''] = (await textOf('ARCHITECTURE.md')).split('\n## Waits\n');
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) => {
    const [modules = '', , wakers = '', deadline = '', tests = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    const named = [...modules.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return { modules: named, wakers, deadline, test: tests.replaceAll('`', '') };
  });
}

async function findWaiting(): Promise<readonly string[]> {
  const found = [];
  for (const file of [...filesAt('src/**/*.ts'), ...filesAt('src/**/*.tsx')].sort()) {
    const code = (await textOf(file)).replace(/^\s*(?:\*|\/\*|\/\/).*$/gm, '');
    if (WAITS.some((pattern) => pattern.test(code))) found.push(file.slice('src/'.length));
  }
  return found;
}

describe('the table of waits', () => {
  test('has every module that waits, so that a new queue gets a waker, a deadline, and a test', async () => {
    const listed = (await readTable()).flatMap(({ modules }) => modules).toSorted();
    expect(listed).toEqual([...(await findWaiting())].toSorted());
  });

  test('names the wakers and the deadline of each wait', async () => {
    const incomplete = (await readTable()).filter(({ wakers, deadline }) => wakers === '' || deadline === '');
    expect(incomplete).toEqual([]);
  });

  test('names a test with random orders for each queue', async () => {
    const wrong = [];
    for (const { modules, test: file } of await readTable()) {
      if (file === NO_QUEUE) continue;
      const text = await textOf(file).catch(() => '');
      if (!text.includes('withSeeds(')) wrong.push(`${modules.join()}: ${file}`);
    }
    expect(wrong).toEqual([]);
  });
});
