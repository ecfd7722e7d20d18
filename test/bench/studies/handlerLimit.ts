/**
 * `bun test/bench/studies/handlerLimit.ts`: measures how fast a handler on Bun can be. Alternates windows of a bare server, of bare servers
 * that do only part of the work of a request (`handlerServer.ts`), and of Postern: first `GET /puzzle`, and then `POST /verify`, where the bare
 * server reads the body, and a log thread writes 16 bytes per request and calls `fsync` for all that have arrived. Prints medians. Asserts
 * no times.
 *
 * Needs wrk. Environment: BENCH_WINDOWS (7), BENCH_SECONDS (2).
 */

import { join } from 'node:path';
import { type Load, type Measurement, measure, type Target } from '../clients/wrk.ts';
import { createCleanup } from '../harness/cleanup.ts';
import { openLab } from '../harness/lab.ts';
import { measureVerifications, postLoad, puzzleLoad } from '../harness/loads.ts';
import { median } from '../harness/row.ts';
import { STEPS } from './handlerServer.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 7);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);

const cleanup = createCleanup();
const duration = { windows: WINDOWS, seconds: SECONDS, isQuick: false };
const progress = (text: string) => void process.stderr.write(`${text}\n`);
const lab = (await openLab(duration, cleanup, progress))(cleanup);

async function startHandler(step: string): Promise<Target> {
  const command = [process.execPath, join(import.meta.dir, 'handlerServer.ts'), step];
  const child = Bun.spawn(command, { stdout: 'pipe' });
  cleanup.defer(() => child.kill('SIGKILL'));
  const { value } = await child.stdout.getReader().read();
  if (value === undefined) throw new Error(`the server ${step} did not start`);
  return { url: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`, pid: child.pid };
}

type Measured = { readonly name: string; readonly window: () => Promise<Measurement> };

/** Alternates windows of all servers, of which the first one is the bare server, and prints a table in Markdown. */
async function compare(request: string, servers: readonly Measured[]): Promise<void> {
  const rows = servers.map(({ name }) => ({ name, windows: [] as Measurement[] }));
  for (let i = 0; i < WINDOWS; i++)
    for (const [at, { window }] of servers.entries()) rows[at]?.windows.push(await window());
  const bare = rows[0]?.windows ?? [];
  console.log(
    `\n| ${request} | relative to the bare server | µs/request | µs on the main thread |\n|---|--:|--:|--:|`,
  );
  for (const { name, windows } of rows) {
    const ratio = median(windows.map(({ rate }, i) => rate / (bare[i]?.rate ?? 0)));
    const [cpu, main] = [median(windows.map((one) => one.cpu)), median(windows.map((one) => one.mainCpu))];
    console.log(`| ${name} | ${ratio.toFixed(3)} | ${cpu.toFixed(2)} | ${main.toFixed(2)} |`);
  }
}

const toMeasured = (name: string, target: Target, load: Load): Measured => ({
  name,
  window: () => measure(target, load),
});

const postern = await lab.startServer();
const get = puzzleLoad(lab, postern);
const handlers = await Promise.all(STEPS.map(async (step) => ({ step, target: await startHandler(step) })));
await compare('`GET /puzzle`', [
  ...handlers.map(({ step, target }) => toMeasured(step, target, get)),
  toMeasured('Postern', postern, get),
]);

await lab.payloads.ensure(WINDOWS * SECONDS * 30_000);
const post = postLoad(lab, postern);
await compare('`POST /verify`', [
  toMeasured('bare', await lab.startBaseline(), post),
  toMeasured('reads and stores', await lab.startBaseline({ logMicroseconds: 0 }), post),
  { name: 'Postern', window: () => measureVerifications(lab, postern) },
]);
await cleanup.run();
process.exit(0);
