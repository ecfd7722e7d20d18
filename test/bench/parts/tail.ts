import { missingForClients } from '../clients/compile.ts';
import { type OpenLoopResult, openOpenLoop } from '../clients/openLoop.ts';
import { measure } from '../clients/wrk.ts';
import type { Lab } from '../harness/lab.ts';
import { measureVerifications, puzzleLoad } from '../harness/loads.ts';
import { median, type Row, type Target, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const SHARE = 0.8;
const MAX_WINDOWS = 5;
const SECONDS = 8;

type Request = {
  readonly name: string;
  readonly p99: Target;
  /** Measures the rate at full load. */
  readonly measureRate: () => Promise<number>;
  readonly send: (rate: number, seconds: number) => Promise<OpenLoopResult>;
};

/** A window at the full rate comes before each window at the constant rate, because the speed of the machine varies. */
async function measureTail({ duration }: Lab, { name, p99, measureRate, send }: Request): Promise<Row[]> {
  const results: OpenLoopResult[] = [];
  const rates: number[] = [];
  const seconds = duration.isQuick ? duration.seconds : SECONDS;
  await measureRate();
  for (let window = 0; window < Math.min(duration.windows, MAX_WINDOWS); window++) {
    const rate = Math.floor(SHARE * median([await measureRate(), await measureRate()]));
    rates.push(rate);
    results.push(await send(rate, seconds));
  }
  const rowOf = (title: string, unit: string, value: (result: OpenLoopResult) => number, target?: Target) =>
    toRow({ name: `${name}, ${title}`, unit, values: results.map(value), ...(target && { target }) });
  return [
    toRow({ name: `${name}, constant rate (80% of the maximum)`, unit: 'requests/s', values: rates }),
    rowOf('p50', 'ms', (result) => result.p50),
    rowOf('p90', 'ms', (result) => result.p90),
    rowOf('p99', 'ms', (result) => result.p99, p99),
    rowOf('p99.9', 'ms', (result) => result.p999),
    rowOf('client: p99 of its own delay', 'ms', (result) => result.lateP99),
    rowOf('client: share of one core', '', (result) => result.clientShare),
  ];
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const client = await openOpenLoop(lab);
  const server = await lab.startServer();
  const atMost = (required: number): Target => ({ of: 'value', bound: 'at most', required });
  let estimate: number | undefined;
  const puzzles = await measureTail(lab, {
    name: '`GET /puzzle`',
    p99: atMost(2),
    measureRate: async () => (await measure(server, puzzleLoad(lab, server))).rate,
    send: (rate, seconds) => client.puzzles(server, rate, seconds),
  });
  const verifications = await measureTail(lab, {
    name: '`POST /verify`',
    p99: atMost(4),
    async measureRate() {
      const { rate } = await measureVerifications(lab, server, estimate);
      estimate = 1.3 * rate;
      return rate;
    },
    send: (rate, seconds) => client.verifications(server, rate, seconds),
  });
  return [...puzzles, ...verifications];
}

export const tail: Part = {
  name: 'tail',
  title: 'Latency at 80% of the maximum rate',
  method:
    'wrk measures the maximum rate in two windows. Then a client in C (`test/bench/clients/openLoop.c`) sends requests at 80% of this rate for eight seconds, at planned times that do not depend on the responses, over 64 keep-alive connections. Both steps are repeated, up to five times. Latencies count from the planned time, so they include the time for which a request waits because the server is slow (no coordinated omission). The client also reports its own delay in sending requests, and its share of a core. If the delay is not small compared with the latencies, the client was too slow.',
  limitSeconds: 300,
  needs: ['wrk'],
  isMissing: () => missingForClients(false),
  run,
};
