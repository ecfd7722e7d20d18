import type { Lab } from '../harness/lab.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const STARTS = 9;

async function run({ startServer, duration }: Lab): Promise<readonly Row[]> {
  const times: number[] = [];
  for (let start = 0; start < (duration.isQuick ? 2 : STARTS); start++) {
    const server = await startServer();
    times.push(server.startMs);
    await server.kill();
  }
  const target = { of: 'value', bound: 'at most', required: 300, goal: 150 } as const;
  return [toRow({ name: 'start to the first 200 of `/readyz`', unit: 'ms', values: times, target })];
}

export const startup: Part = {
  name: 'startup',
  title: 'Startup',
  method:
    'The time from starting the executable on an existing data folder to the first response with status 200. The files are in the page cache.',
  limitSeconds: 60,
  run,
};
