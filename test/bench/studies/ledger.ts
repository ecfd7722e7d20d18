/**
 * `bun test/bench/studies/ledger.ts [CHECKOUT…]`: measures what a claim costs the request thread and the ledger thread, while 32 connections
 * send verifications, in windows that alternate with the same requests without the claim. Also measures the sources of other checkouts if
 * they are named. Asserts no times.
 *
 * Needs wrk (Debian package `wrk`) and Linux. Environment: BENCH_WINDOWS (5), BENCH_SECONDS (2, a whole number).
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../harness/row.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = 32;

type Server = {
  readonly pid: number;
  readonly url: string;
  readonly ledgerThread: string;
  readonly stop: () => void;
};
type Stats = { readonly commits: number; readonly claims: number };

type Window = {
  readonly rate: number;
  /** Claims in a transaction. */
  readonly group: number;
  /** Processor time per request, in microseconds. */
  readonly request: number;
  readonly ledger: number;
  readonly process: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

async function start(root: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-ledger-'));
  const script = join(import.meta.dir, 'ledgerServer.ts');
  const child = Bun.spawn([process.execPath, script, root, join(folder, 'claims.sqlite')], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const { value } = await child.stdout.getReader().read();
  const { port, ledgerThread } = JSON.parse(new TextDecoder().decode(value));
  return {
    pid: child.pid,
    url: `http://localhost:${port}`,
    ledgerThread,
    stop() {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @returns the processor time of each thread in microseconds (proc(5): the first field of `schedstat`) */
function cpuByThread(pid: number): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).map((id) => {
      const [nanoseconds] = readFileSync(join(folder, id, 'schedstat'), 'utf8').split(' ');
      return [id, Number(nanoseconds) / 1000];
    }),
  );
}

async function statsOf({ url }: Server): Promise<Stats> {
  return (await (await fetch(`${url}/stats`)).json()) as Stats;
}

async function measure(server: Server, path: string): Promise<Window> {
  const [stats, cpu] = [await statsOf(server), cpuByThread(server.pid)];
  const args = ['--latency', '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, server.url + path];
  const text = Bun.spawnSync(['wrk', ...args]).stdout.toString();
  const [statsAfter, cpuAfter] = [await statsOf(server), cpuByThread(server.pid)];
  if (!/requests in/.test(text) || /Non-2xx|Socket errors/.test(text))
    throw new Error(`unexpected responses:\n${text}`);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const used = (id: string) => ((cpuAfter.get(id) ?? 0) - (cpu.get(id) ?? 0)) / requests;
  return {
    rate: requests / SECONDS,
    group: (statsAfter.claims - stats.claims) / (statsAfter.commits - stats.commits),
    request: used(String(server.pid)),
    ledger: used(server.ledgerThread),
    process: [...cpuAfter.keys()].reduce((sum, id) => sum + used(id), 0),
    p50: milliseconds(text, 50),
    p99: milliseconds(text, 99),
  };
}

function milliseconds(text: string, percent: number): number {
  const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? [];
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit ?? ''] ?? Number.NaN);
}

const roots = [...process.argv.slice(2), join(import.meta.dir, '../../..')];
const servers = await Promise.all(roots.map(start));
const windows = servers.map(() => ({ none: [] as Window[], claim: [] as Window[] }));
try {
  // The first window is for warming up.
  for (let i = -1; i < WINDOWS; i++)
    for (const [at, server] of servers.entries())
      for (const path of ['none', 'claim'] as const) {
        const window = await measure(server, `/${path}`);
        if (i >= 0) windows[at]?.[path].push(window);
      }
} finally {
  for (const server of servers) server.stop();
}

const text = (values: readonly number[], digits: number) => median(values).toFixed(digits);
for (const [at, { none, claim }] of windows.entries()) {
  const cost = (key: 'request' | 'ledger' | 'process') =>
    text(
      claim.map((window, i) => window[key] - (none[i]?.[key] ?? 0)),
      1,
    );
  console.log(roots[at]);
  console.log(
    `  a claim costs ${cost('process')} µs: request thread ${cost('request')} µs, ledger thread ${cost('ledger')} µs`,
  );
  const of = (key: keyof Window, digits: number) =>
    text(
      claim.map((window) => window[key]),
      digits,
    );
  console.log(
    `  ${of('rate', 0)} claims per second, ${of('group', 1)} per transaction, p50 ${of('p50', 2)} ms, p99 ${of('p99', 2)} ms`,
  );
  const ratio = text(
    claim.map(({ rate }, i) => rate / (none[i]?.rate ?? Number.NaN)),
    2,
  );
  console.log(`  rate relative to no claim: ${ratio}`);
}
