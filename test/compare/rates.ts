import { alternate, type Load, measure, type Pair } from '../bench/clients/wrk.ts';
import type { Lab } from '../bench/harness/lab.ts';
import { measureVerifications, postLoad } from '../bench/harness/loads.ts';
import { type Row, toRow } from '../bench/harness/row.ts';
import type { Contender } from './contenders.ts';

const BASELINE = 'bare server';

function rateRow(name: string, pairs: readonly Pair[]): Row {
  return toRow({
    name,
    unit: 'requests/s',
    values: pairs.map(({ server }) => server.rate),
    yardstick: { name: BASELINE, values: pairs.map(({ baseline }) => baseline.rate) },
  });
}

export type Rates = {
  readonly issuing: Row;
  readonly verifying: Row;
  /** After all windows. */
  readonly memory: Row;
};

/** Measures a product and the bare server in alternating windows, first with requests for challenges, then with solutions. */
export async function measureRates(lab: Lab, contender: Contender): Promise<Rates> {
  const { duration } = lab;
  const [baseline, server] = [await lab.startBaseline(), await contender.start()];
  const challenge: Load = { ...contender.issue(server), seconds: duration.seconds };
  const issuing = await alternate(
    duration.windows,
    () => measure(baseline, challenge),
    () => measure(server, challenge),
  );
  const payloads = await contender.payloads(server);
  // For the baseline, which may be measured first.
  await payloads.ensure(1);
  const windows = { duration, payloads };
  let perSecond = contender.verifications;
  const verifying = await alternate(
    duration.windows,
    () => measure(baseline, postLoad(windows, server)),
    async () => {
      const measured = await measureVerifications(windows, server, perSecond);
      perSecond = measured.rate;
      return measured;
    },
  );
  const memory = contender.memory(server);
  baseline.stop();
  await server.kill();
  return {
    issuing: rateRow('issuing', issuing),
    verifying: rateRow('verifying', verifying),
    memory: toRow({ name: 'memory', unit: 'MB', values: [memory] }),
  };
}
