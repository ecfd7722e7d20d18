import { alternate, measure, type Pair } from '../clients/wrk.ts';
import { hasThreads, type Lab, threadSettings } from '../harness/lab.ts';
import { measureVerifications, puzzleLoad } from '../harness/loads.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const THREADS = 2;

function rowsOf(request: string, pairs: readonly Pair[]): Row[] {
  const name = `${request}, ${THREADS} request threads`;
  const perCpuSecond = { of: 'ratio', bound: 'at least', required: 0.9, goal: 0.97 } as const;
  return [
    toRow({
      name: `${name}, rate`,
      unit: 'requests/s',
      values: pairs.map(({ server }) => server.rate),
      yardstick: { name: 'one thread', values: pairs.map(({ baseline }) => baseline.rate) },
    }),
    toRow({
      name: `${name}, requests per CPU second`,
      unit: 'requests',
      values: pairs.map(({ server }) => 1e6 / server.cpu),
      yardstick: { name: 'one thread', values: pairs.map(({ baseline }) => 1e6 / baseline.cpu) },
      target: perCpuSecond,
    }),
  ];
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const { windows } = lab.duration;
  const one = await lab.startServer(threadSettings(1));
  const several = await lab.startServer(threadSettings(THREADS));
  const puzzles = await alternate(
    windows,
    () => measure(one, puzzleLoad(lab, one)),
    () => measure(several, puzzleLoad(lab, several)),
  );
  const verifications = await alternate(
    windows,
    () => measureVerifications(lab, one),
    () => measureVerifications(lab, several),
  );
  return [...rowsOf('`GET /puzzle`', puzzles), ...rowsOf('`POST /verify`', verifications)];
}

export const threads: Part = {
  name: 'threads',
  title: 'Several request threads',
  method:
    'Two servers in alternating windows: one with one request thread, and one with two. Requests per CPU second are the number of requests divided by the processor time of the whole server. They show the cost of sharing state between threads, even if the client itself needs a core.',
  limitSeconds: 240,
  needs: ['wrk'],
  isMissing: () => (hasThreads() ? undefined : 'this version has no setting for the number of threads'),
  run,
};
