import { missingForClients } from '../clients/compile.ts';
import { createCertificate, openTlsClient, startNginx, type TlsMeasurement } from '../clients/tls.ts';
import { cpuMicroseconds, measure } from '../clients/wrk.ts';
import type { Lab } from '../harness/lab.ts';
import { puzzleLoad } from '../harness/loads.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const YARDSTICK = 'nginx in front of the server';

function rowsOf(kind: string, own: readonly TlsMeasurement[], nginx: readonly TlsMeasurement[]): Row[] {
  const rowOf = (name: string, unit: string, value: (one: TlsMeasurement) => number) =>
    toRow({ name, unit, values: own.map(value), yardstick: { name: YARDSTICK, values: nginx.map(value) } });
  const shareOf = (name: string, of: readonly TlsMeasurement[], value: (one: TlsMeasurement) => number) =>
    toRow({ name, unit: '', values: of.map(value) });
  return [
    rowOf(`${kind}, new connections`, 'connections/s', ({ rate }) => rate),
    rowOf(`${kind}, processor time`, 'µs/connection', ({ cpu }) => cpu),
    shareOf(`${kind}, share of resumed sessions`, own, ({ resumedShare }) => resumedShare),
    shareOf(`${kind}, share of resumed sessions, nginx`, nginx, ({ resumedShare }) => resumedShare),
    shareOf(`${kind}, client: share of one core`, own, ({ clientShare }) => clientShare),
    shareOf(`${kind}, client: share of one core, nginx`, nginx, ({ clientShare }) => clientShare),
  ];
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const pair = await createCertificate(lab);
  const own = await lab.startServer({ POSTERN_TLS_CERT: pair.cert, POSTERN_TLS_KEY: pair.key });
  const behind = await lab.startServer({ POSTERN_TRUSTED_PROXIES: '127.0.0.1' });
  await measure(behind, puzzleLoad(lab, behind));
  const nginx = await startNginx(lab, behind, pair);
  const client = await openTlsClient(lab, own);
  const target = { port: own.port, cpu: () => cpuMicroseconds(own.pid) };
  const rows: Row[] = [];
  for (const resumes of [false, true]) {
    const [first, second]: TlsMeasurement[][] = [[], []];
    for (let window = -1; window < lab.duration.windows; window++) {
      const [mine, other] = [await client.measure(target, resumes), await client.measure(nginx, resumes)];
      if (window < 0) continue;
      first?.push(mine);
      second?.push(other);
    }
    rows.push(...rowsOf(resumes ? 'resumed' : 'full handshake', first ?? [], second ?? []));
  }
  return rows;
}

export const tls: Part = {
  name: 'tls',
  title: 'New TLS connections',
  method:
    'A client in C (`test/bench/clients/connections.c`, with OpenSSL) opens connections with TLS 1.3 and an ECDSA certificate with P-256, 32 at a time. Each connection sends one `GET /puzzle` and is then closed. With resumption, each connection uses the ticket of an earlier one. The baseline is nginx with one worker as a TLS proxy in front of the same server, with keep-alive connections between the two; its processor time includes the server’s. The client verifies signatures but not certificates. If the client uses almost a whole core, it limits the rate, and only the processor time per connection is meaningful.',
  limitSeconds: 240,
  needs: ['wrk', 'nginx', 'openssl'],
  isMissing: () => missingForClients(true),
  run,
};
