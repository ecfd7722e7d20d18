import { alternate, measure, type Pair } from '../clients/wrk.ts';
import type { Lab } from '../harness/lab.ts';
import { puzzleLoad } from '../harness/loads.ts';
import { type Row, type Target, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

/** Also the shape of the results of `/verify`. */
export function toRateRows(
  request: string,
  yardstick: string,
  pairs: readonly Pair[],
  target: Target,
): Row[] {
  const rowOf = (what: string, unit: string, key: 'rate' | 'cpu', goal?: Target) =>
    toRow({
      name: `${request}, ${what}`,
      unit,
      values: pairs.map(({ server }) => server[key]),
      yardstick: { name: yardstick, values: pairs.map(({ baseline }) => baseline[key]) },
      ...(goal && { target: goal }),
    });
  return [
    rowOf('rate', 'requests/s', 'rate', target),
    rowOf('processor time', 'µs/request', 'cpu'),
    toRow({ name: `${request}, p50 at full load`, unit: 'ms', values: finite(pairs, 'p50') }),
    toRow({ name: `${request}, p99 at full load`, unit: 'ms', values: finite(pairs, 'p99') }),
  ];
}

/** wrk sometimes reports a percentile as `nan`. */
function finite(pairs: readonly Pair[], key: 'p50' | 'p99'): number[] {
  return pairs.map(({ server }) => server[key]).filter(Number.isFinite);
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const baseline = await lab.startBaseline();
  const server = await lab.startServer();
  const load = puzzleLoad(lab, server);
  const pairs = await alternate(
    lab.duration.windows,
    () => measure(baseline, load),
    () => measure(server, load),
  );
  return toRateRows('`GET /puzzle`', 'bare server', pairs, {
    of: 'ratio',
    bound: 'at least',
    required: 0.5,
    goal: 0.6,
  });
}

export const puzzle: Part = {
  name: 'puzzle',
  title: 'Issuing puzzles',
  method:
    'wrk sends `GET /puzzle` for one property over 32 keep-alive connections. The baseline is a bare `Bun.serve` that responds with `hello world` to the same requests.',
  limitSeconds: 180,
  needs: ['wrk'],
  run,
};
