import { join } from 'node:path';
import { tableOf, wrapped } from '../bench/document/document.ts';
import { BUSY } from '../bench/harness/machine.ts';
import { formatNumber } from '../bench/harness/table.ts';
import { priceSection } from './priceTables.ts';
import { PRODUCTS, type Product } from './products.ts';
import { MEASUREMENTS, type Measurement, type ProductResult, type Results, rowOf } from './results.ts';

/** Generates `docs/project/comparison.md` and the table in `README.md` from the recorded results. */

const PAGE = 'docs/project/comparison.md';
const README = 'README.md';
const ROOT = join(import.meta.dir, '../..');

/** The generated part of the README. */
const GENERATED = /(?<=<!-- comparison -->\n)[\s\S]*?(?=\n<!-- end of the comparison -->)/;

const METHODS: Readonly<Record<Measurement, { readonly title: string; readonly method: string }>> = {
  issuing: {
    title: 'Issuing challenges',
    method:
      'wrk requests challenges at the default difficulty over 32 keep-alive connections. The baseline is a bare `Bun.serve` that responds with `hello world` to the same requests.',
  },
  verifying: {
    title: 'Verifying solutions',
    method:
      'wrk sends solutions that were prepared before the measurement; each one is sent once and is accepted. To shorten the preparation, the challenges are easier than the default, which does not change the work of the server: BLAKE2b of level 1 instead of 128 for Postern, difficulty 1 instead of 4 for Cap, and `cost` and `counter` of 1 for ALTCHA, whose verification with the second secret does not compute the key again. The baseline receives the same bodies. Only products that store a claim on disk before they respond can still reject the used solution after a power failure. For the column `used solution after SIGKILL`, the run uses a solution, kills the server with SIGKILL, starts it again with the same data and secrets, and uses the solution again. ALTCHA would also accept it again after 1,000 other solutions. The built-in storage of `@cap.js/server` rejects it because it has lost all challenges, including those that visitors are still solving.',
  },
  solving: {
    title: 'Solving in Chromium',
    method:
      'The time from pressing the mouse button on the widget until the page has the token, at the default difficulty. Each visit has a new page and a new server, and the products take turns. The widgets have their default behavior: the widget of Cap already starts to solve when the mouse moves over the page, the widget of ALTCHA shows progress for at least half a second, and the widget of Postern starts on the click.',
  },
  download: {
    title: 'Download size',
    method:
      'All files that the page loads until it has the token: scripts, workers, and WebAssembly, each compressed with gzip (libdeflate, level 12), without headers, the page itself, challenges, and solutions.',
  },
  memory: {
    title: 'Memory',
    method:
      'The resident memory of the server after all windows of issuing and verifying, in millions of bytes. With PostgreSQL, the figure includes the proportional set size of its processes. `@cap.js/server` stores every challenge, so its memory depends on how many challenges it issued in the last ten minutes.',
  },
  start: {
    title: 'Startup time',
    method:
      'The time from the start of the process to the first response with status 200: `/readyz` for Postern, a challenge for the others. The files are in the page cache, and PostgreSQL is already running.',
  },
};

const productOf = ({ id }: ProductResult): Product => {
  const found = PRODUCTS.find((product) => product.id === id);
  if (found === undefined) throw new Error(`unknown product: ${id}`);
  return found;
};

const linkOf = ({ name, url }: Product) => (url.startsWith('https:') ? `[${name}](${url})` : name);

const replayOf = ({ acceptsAfterKill }: ProductResult) =>
  acceptsAfterKill ? '**accepted again**' : 'rejected';

/** @returns the ratio to the baseline, or the value with its unit */
function cellOf(result: ProductResult, measurement: Measurement): string {
  const { ratio, value, unit } = rowOf(result, measurement);
  return ratio === undefined ? `${formatNumber(value)} ${unit}` : `${formatNumber(ratio)} ×`;
}

function busyNote({ busyBefore }: Results): string {
  const share = `${Math.round(100 * busyBefore)}%`;
  if (busyBefore <= BUSY)
    return `Immediately before the measurement, other programs used at most ${share} of the processor.`;
  return `**Preliminary: the machine was busy.** Immediately before a measurement, other programs used up to ${share} of the processor.`;
}

function summaryTable({ products }: Results): string {
  const head = [
    '',
    'issuing',
    'verifying',
    'claims',
    'used solution after SIGKILL',
    'solving',
    'download',
    'memory',
    'startup',
  ];
  const rows = products.map((result) => {
    const product = productOf(result);
    const [issuing, verifying, ...others] = MEASUREMENTS.map((measurement) => cellOf(result, measurement));
    const name = product.id === 'postern' ? `**${product.name}**` : linkOf(product);
    return [name, issuing ?? '', verifying ?? '', product.claims, replayOf(result), ...others];
  });
  return tableOf(head, rows);
}

function measurementSection({ products }: Results, measurement: Measurement): readonly string[] {
  const { title, method } = METHODS[measurement];
  const hasRatio = products.some((result) => rowOf(result, measurement).ratio !== undefined);
  const head = hasRatio
    ? ['', 'median', 'baseline', 'ratio', 'windows']
    : ['', 'median', 'lowest', 'highest'];
  const rows = products.map((result) => {
    const { value, unit, yardstick, ratio = Number.NaN, spread } = rowOf(result, measurement);
    const [low, high] = spread.map(formatNumber);
    const median = `${formatNumber(value)} ${unit}`;
    const rest = hasRatio
      ? [formatNumber(yardstick?.value ?? Number.NaN), formatNumber(ratio), `${low} to ${high}`]
      : [low ?? '', high ?? ''];
    return [productOf(result).name, median, ...rest];
  });
  return [`## ${title}`, method, tableOf(head, rows)];
}

function configurationSection({ products }: Results): readonly string[] {
  const blocks = products.flatMap((result) => {
    const { name, configuration } = productOf(result);
    const versions = Object.entries(result.versions).map(([key, version]) => `${key} ${version}`);
    return [
      `### ${name}`,
      `Versions: ${versions.join(', ')}.`,
      configuration.map((line) => `- ${line}`).join('\n'),
    ];
  });
  return ['## Configuration', ...blocks];
}

function machineSection(results: Results): readonly string[] {
  const { machine, measuredAt, commit, seconds, duration, visits } = results;
  const { processor, cores, memory, kernel, versions } = machine;
  const facts = { processor, cores: String(cores), memory: `${memory} GB`, Linux: kernel, ...versions };
  const modified = commit.isModified ? ' with uncommitted changes' : '';
  return [
    '## Machine',
    tableOf(['', ''], Object.entries(facts)),
    `Measured on ${measuredAt.slice(0, 10)} at commit ${commit.id}${modified} in ${Math.round(seconds / 60)} minutes: windows per measurement: ${duration.windows}, seconds per window: ${duration.seconds}, visits per product: ${visits}. ${busyNote(results)}`,
  ];
}

/** @returns the page in Markdown */
export function toPage(results: Results): string {
  const { measuredAt, machine } = results;
  const blocks = [
    '# Comparison with other products',
    'This page compares Postern with other self-hosted products that use proof of work, as measured by `bun run compare`.',
    'The command installs exact versions from npm into a temporary folder, starts each product as its documentation describes, and measures all of them in one run. It generates this page and the table in the README from `test/compare/results.json`, and a test checks that they agree. It needs access to an npm registry, `wrk`, `chromium`, `gcc`, and PostgreSQL.',
    `Results of ${measuredAt.slice(0, 10)} on ${machine.cores} cores (${machine.processor}). Issuing and verifying are relative to a bare HTTP server on the same machine:`,
    summaryTable(results),
    busyNote(results),
    '## Not measured',
    results.absent.map(({ name, reason }) => `- **${name}**: ${reason}`).join('\n'),
    '## Method',
    'Client, server, database, and browser share the cores of one machine. Measurement windows alternate between a product and the bare server with which it is compared, after one warm-up window for each. The tables show the median of all windows, and the ratio is the median of the ratios of all pairs of windows. Compare ratios instead of absolute figures, which depend on the machine. No product is tuned: each one runs with its defaults, or as its documentation recommends.',
    ...configurationSection(results),
    ...MEASUREMENTS.flatMap((measurement) => measurementSection(results, measurement)),
    ...machineSection(results),
    ...priceSection(results),
  ];
  return `${blocks.map(wrapped).join('\n\n')}\n`;
}

/** @returns the README with the table of these results */
export function withTable(readme: string, results: Results): string {
  if (!GENERATED.test(readme)) throw new Error('README.md has no place for the table');
  const { measuredAt, machine } = results;
  const introduction = `Measured on ${measuredAt.slice(0, 10)} in one run on ${machine.cores} cores (${machine.processor}) by \`bun run compare\`, with each product's default settings; issuing and verifying are relative to a bare HTTP server ([method, configurations, and all results](${PAGE})). ${busyNote(results)}`;
  return readme.replace(GENERATED, () => `\n${wrapped(introduction)}\n\n${summaryTable(results)}\n`);
}

/** Writes the page and the README. @returns the paths, from the root */
export async function writeDocuments(results: Results): Promise<readonly string[]> {
  await Bun.write(join(ROOT, PAGE), toPage(results));
  const readme = join(ROOT, README);
  await Bun.write(readme, withTable(await Bun.file(readme).text(), results));
  return [PAGE, README];
}
