import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '../architecture/tree.ts';
import { compileClient } from './clients/compile.ts';
import type { OpenLoopResult } from './clients/openLoop.ts';
import { toDocument } from './document/document.ts';
import { createCleanup, outputOf } from './harness/cleanup.ts';
import { helpText, parseOptions } from './harness/options.ts';
import { merged, type PartResult, type Results } from './harness/results.ts';
import { median, outcomeOf, type Target, toRow } from './harness/row.ts';
import { PARTS } from './parts/parts.ts';

const recorded: Results = JSON.parse(await textOf('test/bench/results.json'));

describe('docs/project/performance.md', () => {
  test('is the document that the benchmark generates from the recorded results', async () => {
    expect(await textOf('docs/project/performance.md')).toBe(toDocument(recorded));
  });

  test('contains every recorded measurement', async () => {
    const page = await textOf('docs/project/performance.md');
    const rows = recorded.parts.flatMap(({ rows }) => rows);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ name }) => !page.includes(`| ${name} |`))).toEqual([]);
  });
});

describe('the recorded results', () => {
  test('are replaced part by part, and a part that could not run keeps its earlier results', () => {
    const [first] = recorded.parts as readonly [PartResult];
    const parts = ['a', 'b', 'c'].map((part) => ({ ...first, part }));
    const b = { ...first, part: 'b', seconds: 99 };
    const c = { ...first, part: 'c', rows: [], skipped: 'nginx is not installed' };
    const both = merged({ format: 1, parts }, { format: 1, parts: [b, c] }, ['c', 'b', 'a']);
    expect(both.parts).toEqual([parts[2] as PartResult, b, parts[0] as PartResult]);
  });
});

describe('a row', () => {
  const target: Target = { of: 'ratio', bound: 'at least', required: 0.5, goal: 0.6 };
  const values = [50, 30, 40];

  test('has the median of the windows and the median of their ratios', () => {
    const row = toRow({
      name: 'n',
      unit: 'u',
      values,
      yardstick: { name: 'y', values: [50, 60, 80] },
      target,
    });
    expect(row).toMatchObject({
      value: 40,
      yardstick: { value: 60 },
      ratio: 0.5,
      windows: 3,
      spread: [0.5, 1],
    });
    expect(outcomeOf(row)).toBe('required');
  });

  test.each([
    [{ ...target, required: 0.7 }, 'missed'],
    [{ ...target, goal: 0.5 }, 'goal'],
    [{ of: 'value', bound: 'at most', required: 39 }, 'missed'],
    [{ of: 'value', bound: 'at most', required: 40 }, 'required'],
  ] as const)('reaches %p: %s', (of, expected) => {
    const yardstick = { name: 'y', values: [100, 60, 80] };
    expect(outcomeOf(toRow({ name: 'n', unit: 'u', values, yardstick, target: of }))).toBe(expected);
  });

  test('without windows, or with a value that is not a number, is an error', () => {
    expect(() => toRow({ name: 'n', unit: 'u', values: [] })).toThrow('"n" was not measured');
    expect(() => toRow({ name: 'n', unit: 'u', values: [1, Number.NaN] })).toThrow('"n" was not measured');
  });

  test('with an even number of windows has the mean of the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

describe('the options', () => {
  test.each([
    [['nothing'], 'unknown part: nothing'],
    [['--windows', '0'], '--windows must be a whole number from 1 to 100, not 0'],
    [['--seconds', '1.5'], '--seconds must be a whole number from 1 to 60, not 1.5'],
    [['--unknown'], "Unknown option '--unknown'"],
    [['--quick', '--record'], '--record cannot be combined with --quick'],
    [['--document', 'puzzle'], '--document measures nothing'],
    [['--against', 'main', 'puzzle'], '--against cannot be combined with parts or --record'],
  ])('%p are rejected', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });

  test('select parts, in the order of the table', () => {
    expect(parseOptions(['verify', 'puzzle'])?.parts.map(({ name }) => name)).toEqual(['puzzle', 'verify']);
    expect(parseOptions([])?.parts).toEqual(PARTS);
  });

  test('are all described in the help', () => {
    expect(parseOptions(['--help'])).toBeUndefined();
    expect(PARTS.filter(({ name }) => !helpText().includes(`  ${name} `))).toEqual([]);
  });
});

// Without wrk, the message was that wrk is not installed.
test('a commit that does not exist cannot be compared, whether wrk is installed or not', async () => {
  const programs = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  symlinkSync(Bun.which('git') ?? '', join(programs, 'git'));
  const command = [process.execPath, join(import.meta.dir, 'run.ts'), '--against', 'no-such-commit'];
  const env = { ...process.env, PATH: programs };
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe', env });
  expect(await new Response(child.stderr).text()).toContain('no-such-commit is not a commit, branch, or tag');
  expect(await child.exited).toBe(2);
  rmSync(programs, { recursive: true });
});

describe('the client with a constant rate', () => {
  const RATE = 200;
  const STALL_MS = 400;

  // A client that waits for each response would send only one request during the stall, and report only one long latency.
  test('counts the time for which requests waited while the server was not responding', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
    const cleanup = createCleanup();
    let requests = 0;
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch() {
        if (++requests === RATE / 2) Bun.sleepSync(STALL_MS);
        return new Response('x');
      },
    });
    try {
      const program = await compileClient('openLoop', folder, cleanup);
      await Bun.write(join(folder, 'head'), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const numbers = [server.port, RATE, 1, 0, 4].map(String);
      const output = await outputOf([program, ...numbers, join(folder, 'head')], cleanup);
      const result = JSON.parse(output) as OpenLoopResult;
      expect(result).toMatchObject({ requests: RATE, total: RATE, unexpected: 0 });
      // 80 requests are planned during the stall: 40 of them wait for at least half of it.
      expect(result.waited).toBeGreaterThanOrEqual(70);
      expect(result.p90).toBeGreaterThan(STALL_MS / 2);
      expect(result.max).toBeGreaterThan(0.9 * STALL_MS);
    } finally {
      await cleanup.run();
      await server.stop(true);
      rmSync(folder, { recursive: true });
    }
  });
});
