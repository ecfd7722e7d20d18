import { alternate, type Load, measure } from '../clients/wrk.ts';
import type { BenchServer, Lab } from '../harness/lab.ts';
import { measureVerifications, puzzleLoad } from '../harness/loads.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

/** As fast as accepted requests, with a tolerance for the noise of the measurement. */
const TARGET = { of: 'ratio', bound: 'at least', required: 0.9, goal: 1 } as const;

function rejections(lab: Lab, server: BenchServer) {
  const { secret } = server;
  const common = { seconds: lab.duration.seconds, expectsErrors: true };
  const payloads = { PAYLOADS: lab.payloads.path, REPEAT: '1' };
  const verify = { ...common, path: '/verify' };
  // The checksum of an unknown key is wrong, so this key is unknown but has the right form.
  const unknown = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
  const loads: Record<string, Load> = {
    'unknown API key': { ...verify, script: 'post.lua', env: { ...payloads, KEY: unknown } },
    'malformed API key': {
      ...verify,
      script: 'post.lua',
      env: { ...payloads, KEY: `${secret.slice(0, -1)}!` },
    },
    'malformed payload': { ...verify, script: 'garbage.lua', env: { KEY: secret } },
  };
  return { loads, wrongOrigin: { ...puzzleLoad(lab, server), ...common, script: 'otherOrigin.lua' } };
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const server = await lab.startServer();
  // The first window may send rejected requests, whose bodies are in the same file.
  await lab.payloads.ensure(1);
  const { windows } = lab.duration;
  const { loads, wrongOrigin } = rejections(lab, server);
  const rows: Row[] = [];
  const compare = async (
    name: string,
    load: Load,
    accepted: string,
    measureAccepted: () => Promise<{ rate: number }>,
  ) => {
    const pairs = await alternate(windows, measureAccepted as () => ReturnType<typeof measure>, () =>
      measure(server, load),
    );
    const values = pairs.map((pair) => pair.server.rate);
    const yardstick = { name: accepted, values: pairs.map(({ baseline }) => baseline.rate) };
    rows.push(toRow({ name, unit: 'requests/s', values, yardstick, target: TARGET }));
  };
  for (const [name, load] of Object.entries(loads))
    await compare(`\`POST /verify\`, ${name}`, load, 'accepted solutions', () =>
      measureVerifications(lab, server),
    );
  await compare('`GET /puzzle`, page of another domain', wrongOrigin, 'own domain', () =>
    measure(server, puzzleLoad(lab, server)),
  );
  return rows;
}

export const rejected: Part = {
  name: 'rejected',
  title: 'Rejected requests',
  method:
    'An invalid request should not cost the server more than a valid one. The baseline is the same request in its valid form, on the same server.',
  limitSeconds: 300,
  needs: ['wrk'],
  run,
};
