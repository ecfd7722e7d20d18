import { describe, expect, test } from 'bun:test';
import { filesAt, ROOT, textOf } from '../../architecture/tree.ts';
import { fuzz } from './engine/engine.ts';
import { findSlowest } from './engine/growth.ts';
import { instrument } from './engine/instrument.ts';
import type { Target } from './engine/target.ts';
import { NOT_FUZZED } from './notFuzzed.ts';

const TIMEOUT_MS = 300_000;

/** A target whose parser is this code with counters. */
function targetOf(code: string): Target {
  const parse = new Function(`${instrument(code, 'example.ts')}; return parse;`)();
  return { name: 'example', kind: 'text', seeds: ['a'], check: parse };
}

const run = (target: Target) => fuzz(target, { runs: 30_000, seed: 1, corpus: [] });

describe('the engine', () => {
  test('reaches a fault behind several conditions, and minimizes the input', async () => {
    const nested = `function parse(text) {
      if (text.charAt(3) === 'q') if (text.charAt(5) === '~') if (text.charAt(7) === '{') {
        for (let at = 0; at < text.length; at++) if (text.charAt(at) === '9') throw new Error('a fault');
      }
    }`;
    const { failure } = await run(targetOf(nested));
    expect(failure?.message).toBe('Error: a fault');
    expect(failure?.input).toMatch(/^(?:aaaqa~a\{9|(?=.*9)(?:a|9){3}q(?:a|9)~(?:a|9)\{)$/);
    const blind = await run({ ...targetOf(nested), check: new Function(`${nested}; return parse;`)() });
    expect(blind.failure).toBeUndefined();
  });

  test('stops a parser that never ends', async () => {
    const { failure } = await run(
      targetOf("function parse(text) { while (text.includes('b')) text += 'c'; }"),
    );
    expect(failure?.message).toStartWith('TooManyStepsError');
    expect(failure?.input).toBe('b');
  });

  test('finds a parser that takes quadratic time', async () => {
    const quadratic = `function parse(text) {
      let sum = 0;
      for (const a of text) for (const b of text) sum += a === b ? 1 : 0;
      return sum;
    }`;
    const { failure } = await run(targetOf(quadratic));
    expect(failure?.message).toStartWith('TooManyStepsError');
  });

  test('finds quadratic time in built-in functions, which counted steps do not show', async () => {
    const target = { name: 'example', kind: 'text', seeds: [] } as const;
    const scan = (text: string, times: number) => {
      let found = 0;
      for (let time = 0; time < times; time++) found += text.lastIndexOf('~', text.length - time);
      return found;
    };
    const quadratic = await findSlowest({ ...target, check: (text) => scan(text, text.length) }, ['abc']);
    expect(quadratic?.message).toStartWith('the time grows');
    const linear = await findSlowest({ ...target, check: (text) => scan(text, 1) }, ['abc']);
    expect(linear).toBeUndefined();
  }, 60_000);

  test('finds a result that is much larger than the input', async () => {
    const { failure } = await run(
      targetOf("function parse(text) { return text === 'a' ? '' : 'x'.repeat(1e6); }"),
    );
    expect(failure?.message).toContain('the result is larger');
  });

  test('gives the same result for the same seed', async () => {
    const target = targetOf(
      "function parse(text) { if (text.length > 5) { if (text > 'm') return 1; } return 2; }",
    );
    const [first, second] = [await run(target), await run(target)];
    expect(first.corpus.length).toBeGreaterThan(1);
    expect(second.corpus).toEqual(first.corpus);
  });
});

test('counters do not change the behavior of code', () => {
  const code = `
    const table = { a: 1, b() { return this.a ?? 2; } };
    class Base { constructor(x) { this.x = x; } }
    class Sub extends Base { constructor(x) { super(x && 3); } get y() { return this.x; } }
    function* steps(n) { for (let i = 0; i < n; i++) if (i % 2) yield i; else continue; }
    const object = (x) => ({ x });
    function parse(text) {
      let out = '';
      outer: for (const unit of text) {
        switch (unit) { case 'a': out += 'A'; case 'b': { out += 'B'; break; } default: if (unit === 'c') continue outer; else out += unit; }
        do out += '.'; while (out.length % 3);
      }
      try { if (text === '') throw new Error('empty'); } catch { out = 'caught'; } finally { out += '!'; }
      return [out, table.b(), new Sub(1).y, [...steps(5)], object(text || 'none').x, text ? text.length > 3 ? 'long' : 'short' : 'none'];
    }`;
  const plain = new Function(`${code}; return parse;`)();
  const counted = new Function(`${instrument(code, 'example.ts')}; return parse;`)();
  for (const text of ['', 'a', 'abcd', 'xyz', 'cab']) expect(counted(text)).toEqual(plain(text));
});

type Report = {
  readonly targets: readonly {
    readonly name: string;
    readonly runs: number;
    readonly blocks: number;
    readonly failed: boolean;
  }[];
  readonly functions: readonly string[];
};

/** Functions with these names read a format. */
const READERS =
  /^(?:parse|read|decode|decrypt|trace|negotiate|split)[A-Z]|From(?:Iso|Json|Base64|AnyBase64)$/;
const EXPORTED = /^export (?:async )?(?:function\*? (\w+)|const (\w+) = (?:async )?(?:\(|<))/gm;

async function readersIn(file: string): Promise<readonly string[]> {
  const names = [...(await textOf(file)).matchAll(EXPORTED)].map(
    ([, name, constant]) => name ?? constant ?? '',
  );
  return names.filter((name) => READERS.test(name)).map((name) => `${file}#${name}`);
}

test(
  'all properties hold for the corpus and a short run, which call every function that reads a format',
  async () => {
    const child = Bun.spawn(
      [process.execPath, 'test/proof/fuzz/run.ts', '--json', '--runs', '20000', '--seed', '1'],
      {
        cwd: ROOT,
        stdout: 'pipe',
        stderr: 'pipe',
      },
    );
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect([await child.exited, errors, output.trim().split('\n').slice(0, -1).join('\n')]).toEqual([
      0,
      '',
      '',
    ]);
    const { targets, functions } = JSON.parse(output) as Report;
    const corpora = filesAt('test/proof/fuzz/corpus/*.txt').map((file) =>
      file.slice(file.lastIndexOf('/') + 1, -4),
    );
    expect(corpora).toEqual(targets.map(({ name }) => name).toSorted());
    for (const { name, blocks } of targets) expect([name, blocks > 3]).toEqual([name, true]);
    const readers = (await Promise.all(filesAt('src/**/*.{ts,tsx}').map(readersIn))).flat();
    const excluded = Object.keys(NOT_FUZZED);
    const missing = readers.filter((reader) => !functions.includes(reader) && !excluded.includes(reader));
    expect(missing).toEqual([]);
    expect(excluded.filter((reader) => !readers.includes(reader) || functions.includes(reader))).toEqual([]);
  },
  TIMEOUT_MS,
);

test('the page has a row with the number of inputs for every target', async () => {
  const page = await textOf('docs/project/fuzzing.md');
  const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` \|.*\| ([\d,]+) \|/gm)].map(([, name]) => name);
  const corpora = filesAt('test/proof/fuzz/corpus/*.txt').map((file) =>
    file.slice(file.lastIndexOf('/') + 1, -4),
  );
  expect(rows.toSorted()).toEqual([...corpora]);
});
