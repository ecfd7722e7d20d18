import { join } from 'node:path';
import { readStoredClaims } from '../../support/storedClaims.ts';
import { alternate, measure } from '../clients/wrk.ts';
import type { BenchServer, Lab } from '../harness/lab.ts';
import { measureVerifications, postLoad } from '../harness/loads.ts';
import type { Row } from '../harness/row.ts';
import type { Part } from './part.ts';
import { toRateRows } from './puzzle.ts';

async function run(lab: Lab): Promise<readonly Row[]> {
  const baseline = await lab.startBaseline();
  const server = await lab.startServer();
  let answered = 0;
  let estimate: number | undefined;
  const pairs = await alternate(
    lab.duration.windows,
    () => measure(baseline, postLoad(lab, server)),
    async () => {
      const measured = await measureVerifications(lab, server, estimate);
      answered += measured.requests;
      estimate = 1.3 * measured.rate;
      return measured;
    },
  );
  checkClaims(server, answered);
  return toRateRows('`POST /verify`', 'bare server', pairs, {
    of: 'ratio',
    bound: 'at least',
    required: 0.28,
    goal: 0.35,
  });
}

/** @throws if a claim of an answered request is missing, or if a payload was verified twice */
export function checkClaims({ dataDir, sent }: BenchServer, answered: number): void {
  const { puzzles, most } = readStoredClaims(join(dataDir, 'claims.sqlite'));
  if (puzzles < answered || puzzles > sent || most !== 1)
    throw new Error(
      `${answered} verifications were answered, but the file has ${puzzles} puzzles, each presented at most ${most} times`,
    );
}

export const verify: Part = {
  name: 'verify',
  title: 'Verifying solutions',
  method:
    'wrk sends `POST /verify` with solutions that were prepared before the measurement. Each solution is sent once, replay durability is `full`, and the claims of all answered requests are checked in the database afterwards. The baseline is a bare `Bun.serve` that receives the same bodies from the same script.',
  limitSeconds: 240,
  needs: ['wrk'],
  run,
};
