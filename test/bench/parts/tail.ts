import { missingForClients } from '../clients/compile.ts';
import { type OpenLoop, type OpenLoopResult, openOpenLoop } from '../clients/openLoop.ts';
import { type Measurement, measure } from '../clients/wrk.ts';
import { type BenchServer, type Lab, threadSettings } from '../harness/lab.ts';
import { measureVerifications, postLoad, puzzleLoad } from '../harness/loads.ts';
import { type Row, type Target, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

/** The constant rates, relative to the maximum rate, and how long a client sends at them, in seconds. */
const HIGH = { share: 0.8, seconds: 8 };
const MODERATE = { share: 0.5, seconds: 4 };
const MAX_WINDOWS = 5;

/** A server, and the load that it receives. */
type Side = {
  /** Measures a window at full load. */
  readonly measureFull: () => Promise<Measurement>;
  /** Sends requests at a constant rate. */
  readonly send: (rate: number, seconds: number) => Promise<OpenLoopResult>;
};

type Request = {
  readonly name: string;
  readonly p99: Target;
  /** At 50% of the maximum rate. */
  readonly moderateP99: Target;
  readonly server: Side;
  /** Whether the server stores the request before it responds. If so, the baseline does the same. */
  readonly isDurable: boolean;
  /** Returns the same load for a baseline. */
  readonly toBaseline: (started: Started) => Side;
};

type Started = { readonly url: string; readonly pid: number };
type FullLoad = Pick<Measurement, 'rate' | 'cpu' | 'mainCpu'>;
type Window = OpenLoopResult & FullLoad & { readonly moderate: OpenLoopResult };

const OTHER_THREADS = 'processor time of the other threads at the maximum rate';

/** Number of adjustments of the baseline's computation. The processor time of its other work depends on its rate. */
const ADJUSTMENTS = 3;

/**
 * Starts a bare server whose requests take as much processor time as those of Postern. If it stores requests, its main thread matches the
 * main thread of Postern, and its other threads together match the other threads of Postern.
 */
async function startBusyBaseline(lab: Lab, { server, toBaseline, isDurable }: Request): Promise<Side> {
  await server.measureFull();
  const adjustments = lab.duration.isQuick ? 1 : ADJUSTMENTS;
  let [microseconds, logMicroseconds] = [0, 0];
  for (let adjustment = 0; ; adjustment++) {
    const started = await lab.startBaseline({ microseconds, ...(isDurable && { logMicroseconds }) });
    const bare = toBaseline(started);
    await bare.measureFull();
    if (adjustment === adjustments) return bare;
    const [more, less] = [await measureTwice(server), await measureTwice(bare)];
    started.stop();
    const [missing, missingOnMain] = [more.cpu - less.cpu, more.mainCpu - less.mainCpu];
    microseconds = Math.max(0, microseconds + (isDurable ? missingOnMain : missing));
    logMicroseconds = Math.max(0, logMicroseconds + missing - missingOnMain);
  }
}

/** Measures two windows at full load. @returns the means */
async function measureTwice({ measureFull }: Side): Promise<FullLoad> {
  const [first, second] = [await measureFull(), await measureFull()];
  const mean = (key: keyof FullLoad) => (first[key] + second[key]) / 2;
  return { rate: mean('rate'), cpu: mean('cpu'), mainCpu: mean('mainCpu') };
}

/** Measures a window at each constant rate. Measures the maximum rate immediately before, because the speed of the machine varies. */
async function measureWindow(side: Side, { isQuick, seconds }: Lab['duration']): Promise<Window> {
  const full = await measureTwice(side);
  const send = (of: typeof HIGH) =>
    side.send(Math.floor(of.share * full.rate), isQuick ? seconds : of.seconds);
  const high = await send(HIGH);
  return { ...high, ...full, rate: Math.floor(HIGH.share * full.rate), moderate: await send(MODERATE) };
}

async function measureTail(lab: Lab, request: Request): Promise<Row[]> {
  const { name, p99, moderateP99, server, isDurable } = request;
  const yardstick = isDurable
    ? 'bare server with fsync, same processor time per thread'
    : 'bare server, same processor time';
  const { duration } = lab;
  const baseline = await startBusyBaseline(lab, request);
  const pairs: { readonly own: Window; readonly other: Window }[] = [];
  while (pairs.length < Math.min(duration.windows, MAX_WINDOWS)) {
    const own = await measureWindow(server, duration);
    pairs.push({ own, other: await measureWindow(baseline, duration) });
  }
  const rowOf = (title: string, unit: string, value: (window: Window) => number, target?: Target) =>
    toRow({
      name: `${name}, ${title}`,
      unit,
      values: pairs.map(({ own }) => value(own)),
      yardstick: { name: yardstick, values: pairs.map(({ other }) => value(other)) },
      ...(target && { target }),
    });
  return [
    rowOf('constant rate (80% of the maximum)', 'requests/s', ({ rate }) => rate),
    rowOf('processor time at the maximum rate', 'µs/request', ({ cpu }) => cpu),
    rowOf('processor time of the main thread at the maximum rate', 'µs/request', ({ mainCpu }) => mainCpu),
    ...(isDurable ? [rowOf(OTHER_THREADS, 'µs/request', ({ cpu, mainCpu }) => cpu - mainCpu)] : []),
    rowOf('p50 at 80% of the maximum', 'ms', (window) => window.p50),
    rowOf('p90 at 80% of the maximum', 'ms', (window) => window.p90),
    rowOf('p99 at 80% of the maximum', 'ms', (window) => window.p99, p99),
    rowOf('p99.9 at 80% of the maximum', 'ms', (window) => window.p999),
    rowOf('p50 at 50% of the maximum', 'ms', ({ moderate }) => moderate.p50),
    rowOf('p99 at 50% of the maximum', 'ms', ({ moderate }) => moderate.p99, moderateP99),
    rowOf('client: p99 of its own delay', 'ms', (window) => window.lateP99),
    rowOf('client: share of one core', '', (window) => window.clientShare),
  ];
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const client = await openOpenLoop(lab);
  const server = await lab.startServer(threadSettings(1));
  const atMost = (required: number): Target => ({ of: 'value', bound: 'at most', required });
  const toPuzzles = (started: Started): Side => ({
    measureFull: () => measure(started, puzzleLoad(lab, server)),
    send: (rate, seconds) => client.puzzles(asServer(started, server), rate, seconds),
  });
  const puzzles = await measureTail(lab, {
    name: '`GET /puzzle`',
    p99: atMost(2),
    moderateP99: atMost(1),
    server: toPuzzles(server),
    isDurable: false,
    toBaseline: toPuzzles,
  });
  const verifications = await measureTail(lab, {
    name: '`POST /verify`',
    p99: atMost(4),
    moderateP99: atMost(3),
    server: verificationsOf(lab, client, server),
    isDurable: true,
    toBaseline: (started) => ({
      measureFull: () => measure(started, postLoad(lab, server)),
      send: (rate, seconds) => client.verifications({ ...asServer(started, server), sent: 0 }, rate, seconds),
    }),
  });
  return [...puzzles, ...verifications];
}

/** @returns the port of `started` with the credentials of the server, so that the baseline receives the same requests */
function asServer({ url }: Started, { sitekey, secret }: BenchServer) {
  return { port: Number(new URL(url).port), sitekey, secret };
}

function verificationsOf(lab: Lab, client: OpenLoop, server: BenchServer): Side {
  let estimate: number | undefined;
  return {
    async measureFull() {
      const measured = await measureVerifications(lab, server, estimate);
      estimate = 1.3 * measured.rate;
      return measured;
    },
    send: (rate, seconds) => client.verifications(server, rate, seconds),
  };
}

export const tail: Part = {
  name: 'tail',
  title: 'Latency below the maximum rate',
  method:
    'wrk measures the maximum rate in two windows. Then a client in C (`test/bench/clients/openLoop.c`) sends requests at 80% of this rate for eight seconds, at planned times that do not depend on the responses, over 64 keep-alive connections, and at 50% for four seconds. The benchmark performs these steps up to five times. The client measures each latency from the planned time, so it includes the time for which a request waits because the server is slow (no coordinated omission). The client also reports its own delay in sending requests, and the share of a core that it uses. If the delay is not small compared with the latencies, the client was too slow. Postern uses one request thread. The baseline is a bare `Bun.serve` that performs a computation for each request. For `GET /puzzle`, the benchmark adjusts this computation three times, so that a request takes about as much processor time at the maximum rate as in Postern. For `POST /verify`, the baseline has a second thread, which performs another computation, writes 16 bytes per request to a file, and calls `fsync` once for all requests that have arrived. Then the baseline responds. The benchmark adjusts both computations, so that the main thread takes about as much processor time as the main thread of Postern, and the other threads together take about as much as the other threads of Postern. The baseline receives the same requests as Postern, at 80% and 50% of the baseline’s own maximum rate. Its latencies indicate how much of the latency of Postern the runtime, the scheduler, the disk, and the client on the same cores cause.',
  limitSeconds: 600,
  needs: ['wrk'],
  isMissing: () => missingForClients(false),
  run,
};
