import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './tree.ts';

/** Every tool that CI runs is a test, which fails with what the tool says. */

const PROJECTS = ['tsconfig.json', 'src/widget/tsconfig.json', 'src/widget/kernel/tsconfig.json'];
/** The type checker needs up to a minute of one core. */
const PATIENCE_MS = 600_000;

const bin = (tool: string) => join(ROOT, 'node_modules/.bin', tool);

async function expectNothingToSay(...command: readonly string[]): Promise<void> {
  // Node checks types in three quarters of the time; Bun stands in where it is missing.
  const runtime = Bun.which('node') === null ? [process.execPath, '--bun'] : ['node'];
  const { exitCode, output } = await run(...runtime, ...command);
  expect(exitCode === 0 ? '' : output).toBe('');
}

test.concurrent(
  'biome finds nothing to format and nothing to lint',
  async () => {
    await expectNothingToSay(bin('biome'), 'check', '--max-diagnostics=50', '--error-on-warnings');
  },
  PATIENCE_MS,
);

test.concurrent.each(PROJECTS)(
  'the types of %s hold',
  async (project) => {
    expect(existsSync(join(ROOT, project))).toBe(true);
    // What was checked before and did not change is not checked again: a quarter of the time.
    const known = join(ROOT, 'node_modules/.cache/tsc', `${Bun.hash(project).toString(36)}.tsbuildinfo`);
    const cache = ['--incremental', '--tsBuildInfoFile', known];
    await expectNothingToSay(bin('tsc'), '--noEmit', '--pretty', 'false', ...cache, '--project', project);
  },
  PATIENCE_MS,
);

test.concurrent(
  'knip finds no file, export or package that nobody uses',
  async () => {
    await expectNothingToSay(bin('knip'), '--no-progress', '--no-config-hints');
  },
  PATIENCE_MS,
);
