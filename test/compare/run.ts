/** `bun run compare`: measures Postern together with other products that use proof of work. `--help` shows the options. */

import { version } from '../../src/version.ts';
import { BenchError, cleanUpWhenInterrupted, createCleanup } from '../bench/harness/cleanup.ts';
import { progress, runCommand } from '../bench/harness/command.ts';
import { type Duration, openLab } from '../bench/harness/lab.ts';
import { BUSY, busyShare, currentCommit, describeMachine } from '../bench/harness/machine.ts';
import { formatTable } from '../bench/harness/table.ts';
import { type Contender, createAltchaContender, createCap, createPostern, type Kit } from './contenders.ts';
import { writeDocuments } from './document.ts';
import { installPackages } from './install.ts';
import { measureNative } from './native.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { type Absent, NOT_AVAILABLE, type Product, packagesOf } from './products.ts';
import { measureRates, type Rates } from './rates.ts';
import { acceptsAfterKill } from './replay.ts';
import { MEASUREMENTS, type ProductResult, RECORDED, type Results, rowOf } from './results.ts';
import { measureVisits } from './visits.ts';

const PROGRAMS = ['wrk', 'chromium', 'gcc', 'npm'];

// The complete browser, as in the benchmark.
const chromium = Bun.which('chromium');
if (chromium !== null) process.env.BUN_CHROME_PATH ??= chromium;

const cleanup = createCleanup();

type Started = { readonly product: Product; readonly contender: Contender };

/** Prepares the products. Those that this machine cannot run are left out. */
async function prepare(
  products: readonly Product[],
  kit: Kit,
): Promise<{ readonly started: readonly Started[]; readonly absent: readonly Absent[] }> {
  const absent: Absent[] = [];
  const started: Started[] = [];
  for (const product of products) {
    try {
      started.push({ product, contender: await contenderOf(product, kit) });
    } catch (cause) {
      const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
      absent.push({ name: product.name, reason: `It did not start on this machine: ${reason}.` });
      progress(`${product.name}: ${reason}`);
    }
  }
  return { started, absent };
}

async function contenderOf({ id }: Product, kit: Kit): Promise<Contender> {
  if (id === 'postern') return createPostern(kit.lab);
  return id === 'altcha' ? createAltchaContender(kit) : createCap(kit, id);
}

const versionsOf = ({ id, packages }: Product) => (id === 'postern' ? { Postern: version } : packages);

async function measureAll({ products, duration, visits }: Options): Promise<Results> {
  const missing = PROGRAMS.filter((program) => Bun.which(program) === null);
  if (missing.length > 0) throw new BenchError(`not installed: ${missing.join(', ')}`);
  const [startedAt, measuredAt] = [performance.now(), new Date().toISOString()];
  progress('installing …');
  const installed = await installPackages(packagesOf(products), cleanup);
  const lab = (await openLab(duration, cleanup, progress))(cleanup);
  const { started, absent } = await prepare(products, { lab, installed, cleanup });
  let busyBefore = 0;
  const checkLoad = async (next: string) => {
    const busy = await busyShare();
    busyBefore = Math.max(busyBefore, busy);
    const warning = busy > BUSY ? ` (other programs use ${Math.round(100 * busy)}% of the processor)` : '';
    progress(`${next} …${warning}`);
  };
  const rates = new Map<Contender, Rates>();
  const replays = new Map<Contender, boolean>();
  for (const { product, contender } of started) {
    await checkLoad(`${product.name}: issuing and verifying`);
    rates.set(contender, await measureRates(lab, contender));
    replays.set(contender, await acceptsAfterKill(contender));
  }
  await checkLoad('solving in Chromium');
  const contenders = started.map(({ contender }) => contender);
  const visited = await measureVisits(contenders, visits, progress);
  await checkLoad('native solvers');
  const native = await measureNative(lab, duration.windows);
  const results = started.flatMap(({ product, contender }): ProductResult[] => {
    const [measured, visit] = [rates.get(contender), visited.get(contender)];
    if (measured === undefined || visit === undefined) return [];
    const isAccepted = replays.get(contender) === true;
    return [
      { id: product.id, versions: versionsOf(product), acceptsAfterKill: isAccepted, ...measured, ...visit },
    ];
  });
  return {
    format: 1,
    measuredAt,
    commit: currentCommit(),
    machine: describeMachine(),
    busyBefore,
    seconds: Math.round((performance.now() - startedAt) / 1000),
    duration: windowsOf(duration),
    visits,
    products: results,
    absent: [...absent, ...NOT_AVAILABLE],
    native,
  };
}

const windowsOf = ({ windows, seconds }: Duration) => ({ windows, seconds });

function print(results: Results, products: readonly Product[]): void {
  const nameOf = (id: string) => products.find((product) => product.id === id)?.name ?? id;
  const groups = MEASUREMENTS.map((measurement) => ({
    title: measurement,
    rows: results.products.map((result) => ({ ...rowOf(result, measurement), name: nameOf(result.id) })),
  }));
  const native = [results.native.blake2b, results.native.argon2id];
  console.log(formatTable([...groups, { title: 'native solvers, one core', rows: native }]));
  for (const { name, packages, claims, configuration } of products) {
    const versions = Object.entries(packages).map(([key, version]) => `${key} ${version}`);
    console.log(`\n${name}${versions.length > 0 ? `: ${versions.join(', ')}` : ''}\n  claims: ${claims}`);
    for (const line of configuration) console.log(`  ${line}`);
  }
  console.log('\nUsed solution accepted after SIGKILL:');
  for (const result of results.products)
    console.log(`  ${nameOf(result.id)}: ${result.acceptsAfterKill ? 'yes' : 'no'}`);
  console.log('\nNot measured:');
  for (const { name, reason } of results.absent) console.log(`  ${name}: ${reason}`);
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(HELP);
    return 0;
  }
  if (options.documents) {
    console.log(`wrote ${(await writeDocuments(await Bun.file(RECORDED).json())).join(', ')}`);
    return 0;
  }
  cleanUpWhenInterrupted(cleanup);
  const results = await measureAll(options);
  print(results, options.products);
  const file = options.records ? RECORDED : options.json;
  await Bun.write(file, `${JSON.stringify(results, null, 1)}\n`);
  progress(`wrote ${file}`);
  if (options.records) progress(`wrote ${(await writeDocuments(results)).join(', ')}`);
  return 0;
}

await runCommand(main, cleanup);
