/**
 * `bun run soak:mixed`: every kind of request at once, including slow and aborted ones, for SOAK_MINUTES (30 by default). SOAK_ENGINE is
 * `sqlite` (the default) or `postgres`, POSTERN_THREADS the number of request threads (1 by default), and SOAK_SEED repeats a run's choices.
 * Afterward, presents every accepted payload again. Exits with code 1 if a request got no response or an unexpected one, or if a payload
 * was accepted twice or was lost. Prints the memory, and the latency of `/livez` beside that of a server that does nothing. On a busy
 * machine, the latency without the time that the server's threads waited for a core shows whether the server itself was the cause.
 * Uses only the loopback interface.
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresEngine } from '../../src/storage/postgres/engine.ts';
import { BINARY, HIGH_LIMITS } from '../e2e/support.ts';
import { locationOf } from '../storage/postgres/ledgers.ts';
import { startBinary } from '../support/binary.ts';
import { residentMb } from '../support/memory.ts';
import { startPostgres } from '../support/postgres.ts';
import { createRandom } from '../support/random.ts';
import { ACTORS, type ActorOptions } from './actors.ts';
import { createPresentedClaims } from './claims.ts';
import { prepareTenants, type Tenant } from './installation.ts';
import type { Probed } from './livez.ts';
import { createRequests, type Requests } from './requests.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const ENGINE = process.env.SOAK_ENGINE ?? 'sqlite';
const THREADS = process.env.POSTERN_THREADS ?? '1';
const SEED = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Payloads that are presented again at a time. */
const BATCH = 32;

/** Starts all clients. @returns a function that stops them and waits for their last responses */
async function startActors(options: ActorOptions): Promise<() => Promise<void>> {
  let isStopped = false;
  const running: Promise<void>[] = [];
  for (const { clients, pauseMs, create } of ACTORS)
    for (let i = 0; i < clients; i++) {
      const step = await create(options, options.tenants[i % options.tenants.length] as Tenant);
      running.push(
        (async () => {
          while (!isStopped) {
            await step();
            await Bun.sleep(options.random(pauseMs));
          }
        })(),
      );
    }
  return async () => {
    isStopped = true;
    await Promise.all(running);
  };
}

/** Resolves when the threads of the server are known; until then, the server must be idle. */
async function startProbe(url: string, pid: number) {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/livez.ts`, url, String(pid)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  const readLine = async () => JSON.parse(new TextDecoder().decode((await reader.read()).value));
  const { threads } = await readLine();
  console.log(`${threads} thread(s) take part in a request for /livez`);
  return {
    take(): Promise<Probed> {
      child.stdin.write('\n');
      child.stdin.flush();
      return readLine();
    },
    end: () => child.kill(),
  };
}

/** Presents payloads again. @returns how many the server did not recognize as used */
async function countLost(
  requests: Requests,
  tenants: readonly Tenant[],
  payloads: readonly string[],
): Promise<number> {
  let lost = 0;
  const present = async (payload: string) => {
    for (const { verifyKey } of tenants) {
      const headers = { 'X-API-Key': verifyKey };
      const ended = await requests.send('again', '/verify', { method: 'POST', body: payload, headers });
      if (ended?.body.includes('"code":8')) return;
      // Code 7: the property of the other tenant.
      if (!ended?.body.includes('"code":7')) break;
    }
    lost++;
  };
  for (let i = 0; i < payloads.length; i += BATCH)
    await Promise.all(payloads.slice(i, i + BATCH).map(present));
  return lost;
}

function printMinute(minute: number, pid: number, { livez, bare }: Probed, { tally }: Requests): void {
  const total = [...tally.byKind.values()].flatMap((ends) => [...ends.values()]).reduce((a, b) => a + b, 0);
  const show = ({ p50, p99, max, ownMax, failed }: Probed['livez']) =>
    `p50 ${p50} p99 ${p99} max ${max} (${ownMax} without waiting for a core) ms${failed > 0 ? `, ${failed} FAILED` : ''}`;
  console.log(
    `${String(minute).padStart(3)} min  ${residentMb(pid).toFixed(0)} MB  ${total} requests, ${tally.unanswered.length} unanswered  /livez ${show(livez)} | bare ${show(bare)}`,
  );
}

async function soak(dataDir: string): Promise<boolean> {
  const postgres = ENGINE === 'postgres' ? await startPostgres({ isDurable: true }) : undefined;
  const database = await postgres?.createDatabase();
  const engine = database && createPostgresEngine(locationOf(database.url));
  const tenants = await prepareTenants(dataDir, engine);
  const server = await startBinary(BINARY, {
    ...HIGH_LIMITS,
    POSTERN_DATA_DIR: dataDir,
    POSTERN_THREADS: THREADS,
    POSTERN_DNS_CHECK: 'off',
    ...(database && { POSTERN_DATABASE_URL: database.url }),
  });
  const requests = createRequests(server.url);
  const claims = createPresentedClaims();
  const random = createRandom(SEED);
  const probe = await startProbe(server.url, server.pid);
  const stop = await startActors({ url: server.url, requests, claims, tenants, random });
  await probe.take();
  for (let minute = 1; minute <= MINUTES; minute++) {
    await Bun.sleep(60_000);
    printMinute(minute, server.pid, await probe.take(), requests);
  }
  await stop();
  probe.end();
  const lost = await countLost(requests, tenants, [...claims.accepted]);
  const exitCode = await server.end('SIGTERM');
  const stored = database
    ? await postgres
        ?.connectAdmin(database)
        .unsafe('SELECT count(*)::int AS n FROM claims')
        .then(([row]) => row.n)
    : storedClaims(dataDir);
  await postgres?.remove();
  const { byKind, unanswered, unexpected } = requests.tally;
  for (const [kind, ends] of byKind)
    console.log(`${kind}: ${[...ends].map(([end, n]) => `${n} × ${end}`).join(', ')}`);
  for (const line of [...unanswered.slice(0, 20), ...unexpected]) console.log(line);
  const { accepted, unknown, acceptedTwice, rejected } = claims;
  console.log(
    `${accepted.size} accepted, ${unknown.size} without a known result, ${rejected.length} new but rejected, ${acceptedTwice.length} accepted twice, ${lost} lost; ${stored} stored; exit code ${exitCode}`,
  );
  // Each repeatable payload is a claim, and any payload without a known result may be one.
  const repeated = tenants.flatMap(({ repeatable }) => Object.values(repeatable).flat());
  const fewest = accepted.size + repeated.length;
  const isExact = stored >= fewest && stored <= fewest + unknown.size;
  return (
    isExact &&
    [unanswered, unexpected, acceptedTwice, rejected].every(({ length }) => length === 0) &&
    lost === 0 &&
    exitCode === 0
  );
}

function storedClaims(dataDir: string): number {
  const claims = new Database(join(dataDir, 'claims.sqlite'));
  const stored = claims.query<{ n: number }, []>('SELECT count(*) AS n FROM claims').get()?.n;
  claims.close();
  return stored ?? 0;
}

console.log(`${ENGINE}, ${THREADS} request thread(s), ${MINUTES} minutes, seed ${SEED}`);
const dataDir = mkdtempSync(join(tmpdir(), 'postern-soak-'));
const isCorrect = await soak(dataDir);
rmSync(dataDir, { recursive: true, force: true });
process.exit(isCorrect ? 0 : 1);
