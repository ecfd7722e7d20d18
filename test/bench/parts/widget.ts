import type { Lab } from '../harness/lab.ts';
import { type Row, toRow } from '../harness/row.ts';
import { visitPages } from '../solver/click.ts';
import type { Part } from './part.ts';

const VISITS = 9;
const QUICK_VISITS = 2;

async function run({ duration, defer }: Lab): Promise<readonly Row[]> {
  const visits = await visitPages(duration.isQuick ? QUICK_VISITS : VISITS, defer);
  const valuesOf = (of: (visit: (typeof visits)[number]) => number) => visits.map(of);
  return [
    toRow({
      name: 'download of a visitor, with gzip',
      unit: 'kB',
      values: valuesOf(({ downloaded }) => downloaded / 1000),
      target: { of: 'value', bound: 'at most', required: 12, goal: 9 },
    }),
    toRow({ name: 'files of a visitor', unit: 'files', values: valuesOf(({ requests }) => requests) }),
    toRow({
      name: 'click to verified at the default level, Chromium',
      unit: 'ms',
      values: valuesOf(({ clickMs }) => clickMs),
      target: { of: 'value', bound: 'at most', required: 200, goal: 100 },
    }),
  ];
}

export const widget: Part = {
  name: 'widget',
  title: 'Widget',
  method:
    'Chromium opens a page with the widget, and the benchmark clicks the checkbox, each time on a new page. The download is what the page fetches until the visitor is verified: the sizes of all scripts and kernels with gzip, without headers, the puzzle, and texts in other languages. The server runs on the same machine from the sources.',
  limitSeconds: 180,
  needs: ['chromium'],
  run,
};
