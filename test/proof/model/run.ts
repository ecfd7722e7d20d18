/**
 * `bun run model`: checks the models of the claim protocol with Spin, and prints a line for each configuration.
 *
 * NAME …    checks only these configurations
 * --large   also checks the large configurations, which take minutes
 * --stale   checks only configurations that have changed since their results were written
 * --trace   also prints the steps that lead to each error
 * --write   writes the results, and the tables in docs/project/model.md
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONFIGURATIONS, type Configuration } from './configurations.ts';
import {
  hashOf,
  PAGE,
  RESULTS,
  type Report,
  type Row,
  rowOf,
  toRow,
  violatedBy,
  withRows,
  withTable,
} from './report.ts';
import { check } from './spin.ts';

const ROOT = join(import.meta.dir, '../../..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    stale: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const results = join(ROOT, RESULTS);
const written: Report = await Bun.file(results).json();

function isChosen(configuration: Configuration): boolean {
  const { name, isLarge } = configuration;
  if (positionals.length > 0) return positionals.includes(name);
  if (values.stale && written.rows.some((row) => row.name === name && row.hash === hashOf(configuration)))
    return false;
  return values.large || !isLarge;
}

const chosen = CONFIGURATIONS.filter(isChosen);
if (chosen.length < positionals.length) {
  process.stderr.write(`the configurations are ${CONFIGURATIONS.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

const rows: Row[] = [];
let wrong = 0;
for (const configuration of chosen) {
  const result = await check(configuration, values.trace ? (steps) => console.log(steps) : undefined);
  const row = toRow(configuration, result);
  rows.push(row);
  const hasFound = result.error !== undefined && violatedBy(result.error) !== undefined;
  const isExpected = configuration.isBroken ? hasFound : result.error === undefined;
  if (!isExpected) wrong++;
  console.log(`${isExpected ? 'as expected' : 'WRONG      '}  ${rowOf(row).join('  ')}`);
}
console.log(`\n${rows.length - wrong} as expected, ${wrong} wrong`);
if (wrong > 0) process.exit(1);

if (values.write) {
  const report = withRows(written, rows, new Date().toISOString().slice(0, 10));
  await Bun.write(results, `${JSON.stringify(report, null, 2)}\n`);
  const page = join(ROOT, PAGE);
  await Bun.write(page, withTable(await Bun.file(page).text(), report));
}
