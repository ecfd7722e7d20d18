/**
 * `bun run conformance`: checks that the conformance report refers to existing tests, and prints the number of findings.
 *
 * --write   writes docs/reference/accessibility.md and docs/reference/openacr.yaml
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OPENACR, openAcr, problemsIn } from './openacr.ts';
import { PAGE, withTables } from './page.ts';
import { missingTests } from './titles.ts';

const ROOT = join(import.meta.dir, '../..');

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const yaml = openAcr();
const wrong = [...(await missingTests()), ...problemsIn(yaml)];
for (const line of wrong) console.log(line);
if (wrong.length > 0) process.exit(1);

const page = join(ROOT, PAGE);
const tables = withTables(await Bun.file(page).text());
console.log(tables.slice(tables.indexOf('## Summary'), tables.indexOf('\n## WCAG')));
if (values.write) {
  await Bun.write(page, tables);
  await Bun.write(join(ROOT, OPENACR), yaml);
}
