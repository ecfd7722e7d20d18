import { alternate, measure, type Pair } from '../clients/wrk.ts';
import { type BenchServer, hasThreads, type Lab, threadSettings } from '../harness/lab.ts';
import { measureVerifications, puzzleLoad } from '../harness/loads.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const THREADS = 2;
const CONNECTIONS = 32;

/** The connections of the server with several threads; the other server has 32. */
const LOADS = [
  { connections: CONNECTIONS, title: `${CONNECTIONS} connections` },
  {
    connections: THREADS * CONNECTIONS,
    title: `${CONNECTIONS} connections per thread`,
    target: { of: 'ratio', bound: 'at least', required: 0.9, goal: 0.97 },
  },
] as const;

type LoadOf = (typeof LOADS)[number];

function rowsOf(request: string, { title, ...load }: LoadOf, pairs: readonly Pair[]): Row[] {
  const name = `${request}, ${THREADS} request threads, ${title}`;
  return [
    toRow({
      name: `${name}: rate`,
      unit: 'requests/s',
      values: pairs.map(({ server }) => server.rate),
      yardstick: { name: 'one thread', values: pairs.map(({ baseline }) => baseline.rate) },
    }),
    toRow({
      name: `${name}: requests per CPU second`,
      unit: 'requests',
      values: pairs.map(({ server }) => 1e6 / server.cpu),
      yardstick: { name: 'one thread', values: pairs.map(({ baseline }) => 1e6 / baseline.cpu) },
      ...('target' in load && { target: load.target }),
    }),
  ];
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const { windows } = lab.duration;
  const one = await lab.startServer(threadSettings(1));
  const several = await lab.startServer(threadSettings(THREADS));
  const puzzles = (server: BenchServer, connections: number) =>
    measure(server, { ...puzzleLoad(lab, server), connections });
  const verifications = (server: BenchServer, connections: number) =>
    measureVerifications(lab, server, undefined, connections);
  const rows: Row[] = [];
  for (const [request, send] of [
    ['`GET /puzzle`', puzzles],
    ['`POST /verify`', verifications],
  ] as const) {
    for (const load of LOADS) {
      const pairs = await alternate(
        windows,
        () => send(one, CONNECTIONS),
        () => send(several, load.connections),
      );
      rows.push(...rowsOf(request, load, pairs));
    }
  }
  return rows;
}

export const threads: Part = {
  name: 'threads',
  title: 'Several request threads',
  method:
    'Two servers in alternating windows: one with one request thread, and one with two. Requests per CPU second are the number of requests divided by the processor time of the whole server. They show the cost of sharing state between threads, even if the client itself needs a core. The server with one thread always has 32 connections. With 32 connections for both threads together, each thread finds fewer requests whenever it wakes up, so each request takes more processor time. With 32 connections per thread, each thread has as many requests in progress as the only thread of the other server. The required value applies only to this case.',
  limitSeconds: 360,
  needs: ['wrk'],
  isMissing: () => (hasThreads() ? undefined : 'this version has no setting for the number of threads'),
  run,
};
