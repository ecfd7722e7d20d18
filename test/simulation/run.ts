/**
 * `bun run simulate`: simulates visitors and attackers of a website with the code of the server that determines the difficulty, and prints
 * what each group pays. Repeatable: the same seed gives the same results.
 *
 * --seed N           seed of the random numbers (1)
 * --scenario NAME    one scenario instead of all
 * --growth GROWTH    slow, medium, fast, or constant (medium)
 * --code FOLDER      folder with load.ts and difficulty.ts of another version
 * --write            writes the results of all growths, the tables and plots of the documentation; with --code, the results of
 *                    the other version as "before"
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SETTING_FIELDS } from '../../src/model/propertyFields.ts';
import { plotsOf } from './plots.ts';
import { format, type GROWTHS, type Report, withTables } from './report.ts';
import { type Results, simulate } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import type { Code } from './world.ts';

const ROOT = join(import.meta.dir, '../..');
const RESULTS = join(import.meta.dir, 'results.json');
const PAGE = join(ROOT, 'docs/explanation/difficulty.md');

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    scenario: { type: 'string' },
    growth: { type: 'string', default: 'medium' },
    code: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) fail(`--seed must be a whole number, not ${values.seed}`);
const growth =
  SETTING_FIELDS.growth.choices.find((choice) => choice === values.growth) ??
  fail(`--growth must be one of ${SETTING_FIELDS.growth.choices.join(', ')}`);
const scenarios = SCENARIOS.filter(({ name }) => values.scenario === undefined || name === values.scenario);
if (scenarios.length === 0) fail(`--scenario must be one of ${SCENARIOS.map(({ name }) => name).join(', ')}`);

async function loadCode(folder: string): Promise<Code> {
  const { createLoadMeter } = await import(join(folder, 'load.ts'));
  const { difficultyOf } = await import(join(folder, 'difficulty.ts'));
  return { createLoadMeter, difficultyOf };
}

function print(results: Results): void {
  for (const { name, title, about } of scenarios) {
    console.log(`\n${name}: ${title}. ${about}.`);
    for (const { group, puzzles, mean, factors } of results[name] ?? []) {
      const [p50, p95, p99] = factors.map(format);
      console.log(
        `  ${group.padEnd(12)} ${format(puzzles).padStart(9)} puzzles, cost ${format(mean)} × the level (p50 ${p50}, p95 ${p95}, p99 ${p99})`,
      );
    }
  }
}

const code = await loadCode(resolve(values.code ?? join(ROOT, 'src/captcha')));
if (values.write) {
  if (values.scenario !== undefined) fail('--write needs all scenarios');
  const stored: Report = JSON.parse(await Bun.file(RESULTS).text());
  const of = (name: (typeof GROWTHS)[number]) => simulate({ code, growth: name, seed });
  const report: Report =
    values.code === undefined
      ? { ...stored, seed, slow: of('slow'), medium: of('medium'), fast: of('fast') }
      : { ...stored, before: of('medium') };
  await Bun.write(RESULTS, `${JSON.stringify(report)}\n`);
  await Bun.write(PAGE, withTables(await Bun.file(PAGE).text(), report));
  for (const [file, contents] of plotsOf(report)) await Bun.write(join(ROOT, file), contents);
  console.log(`wrote ${RESULTS}, the tables, and the plots`);
} else {
  print(simulate({ code, growth, seed }, scenarios));
}
