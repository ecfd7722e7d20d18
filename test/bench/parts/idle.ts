import { missingForClients } from '../clients/compile.ts';
import { createCertificate, openTlsClient } from '../clients/tls.ts';
import { measure } from '../clients/wrk.ts';
import type { Lab } from '../harness/lab.ts';
import { puzzleLoad } from '../harness/loads.ts';
import { memoryOf } from '../harness/memory.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const CONNECTIONS = 10_000;
const QUICK_CONNECTIONS = 500;
/** The server collects garbage in the meantime; idle connections stay open for longer. */
const REST_MS = 3000;

async function measureIdle(lab: Lab, settings: Readonly<Record<string, string>>): Promise<Row[]> {
  const usesTls = settings.POSTERN_TLS_CERT !== undefined;
  const server = await lab.startServer(settings);
  const client = await openTlsClient(lab, server);
  // Otherwise, the memory of the first requests would count.
  await measure(server, puzzleLoad(lab, server));
  await Bun.sleep(REST_MS);
  const before = memoryOf(server.pid);
  const count = lab.duration.isQuick ? QUICK_CONNECTIONS : CONNECTIONS;
  const close = await client.openIdle(server.port, count, usesTls);
  await Bun.sleep(REST_MS);
  const open = memoryOf(server.pid);
  await close();
  await Bun.sleep(REST_MS);
  const closed = memoryOf(server.pid);
  await server.kill();
  const kind = usesTls ? 'TLS' : 'no TLS';
  const single = (name: string, unit: string, value: number) => toRow({ name, unit, values: [value] });
  return [
    single(`${kind}, memory of each connection`, 'bytes', (1e6 * (open.pss - before.pss)) / count),
    single(`${kind}, resident memory with 10,000 connections`, 'MB', open.rss),
    single(`${kind}, resident memory before`, 'MB', before.rss),
    single(`${kind}, resident memory after they were closed`, 'MB', closed.rss),
  ];
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const { cert, key } = await createCertificate(lab);
  return [
    ...(await measureIdle(lab, {})),
    ...(await measureIdle(lab, { POSTERN_TLS_CERT: cert, POSTERN_TLS_KEY: key })),
  ];
}

/** The server and the client need a file descriptor for each connection. */
function missingFiles(): string | undefined {
  const limit = Number(Bun.spawnSync(['bash', '-c', 'ulimit -Hn']).stdout.toString());
  return limit < CONNECTIONS + 500
    ? `the limit of open files is ${limit}; raise it with \`ulimit -Hn\``
    : undefined;
}

export const idle: Part = {
  name: 'idle',
  title: 'Idle connections',
  method:
    'A client opens 10,000 keep-alive connections, sends one `GET /puzzle` over each, and leaves them open. The memory of a connection is the growth of the server’s proportional set size (PSS) divided by the number of connections. The buffers of the kernel are not included. Each connection needs a file descriptor: the Bun runtime raises the soft limit to the hard limit (`LimitNOFILE` in systemd, `ulimit -Hn`). The server closes a connection after 30 idle seconds.',
  limitSeconds: 120,
  needs: ['wrk', 'openssl'],
  isMissing: () => missingForClients(true) ?? missingFiles(),
  run,
};
