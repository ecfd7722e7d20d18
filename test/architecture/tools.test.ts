import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './tree.ts';

/** The tools that CI runs. A failed test prints the output of its tool. */

/** The projects, with the packages of the type checkers. The declarations of AssemblyScript are not valid in TypeScript 7. */
const PROJECTS = [
  ['tsconfig.json', 'typescript-7'],
  ['src/widget/tsconfig.json', 'typescript-7'],
  ['src/widget/kernel/tsconfig.json', 'typescript'],
  ['packages/widget/tsconfig.json', 'typescript-7'],
  ['packages/server/tsconfig.json', 'typescript-7'],
] as const;
const TIMEOUT_MS = 600_000;

const bin = (tool: string) => join(ROOT, 'node_modules/.bin', tool);

async function expectSuccess(...command: readonly string[]): Promise<void> {
  // Bun is used if Node is missing.
  const runtime = Bun.which('node') === null ? [process.execPath, '--bun'] : ['node'];
  const { exitCode, output } = await run(...runtime, ...command);
  expect(exitCode === 0 ? '' : output).toBe('');
}

test.concurrent(
  'biome reports no formatting or lint errors',
  async () => {
    await expectSuccess(bin('biome'), 'check', '--max-diagnostics=50', '--error-on-warnings');
  },
  TIMEOUT_MS,
);

test.concurrent.each(PROJECTS)(
  'the type checker reports no errors in %s',
  async (project, checker) => {
    expect(existsSync(join(ROOT, project))).toBe(true);
    await expectSuccess(
      join(ROOT, 'node_modules', checker, 'bin/tsc'),
      '--pretty',
      'false',
      '--project',
      project,
    );
  },
  TIMEOUT_MS,
);

test.concurrent(
  'knip reports no unused files, exports, or packages',
  async () => {
    await expectSuccess(bin('knip'), '--no-progress', '--no-config-hints');
  },
  TIMEOUT_MS,
);
