import { measure } from '../clients/wrk.ts';
import { type BenchServer, hasThreads, type Lab, threadSettings } from '../harness/lab.ts';
import { measureVerifications, puzzleLoad } from '../harness/loads.ts';
import { type Memory, memoryOf } from '../harness/memory.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const FULL_LOAD_SECONDS = 60;
const REST_MS = 5000;
/** Connections of the two clients. */
const CONNECTIONS = { puzzle: 24, verify: 8 } as const;
/** More verifications than a server answers in a second while it also issues puzzles. */
const ESTIMATE = 17_000;
const THREADS = [2, 4] as const;

/** Two clients send puzzle requests and verifications at the same time, as fast as the server responds. */
async function loadFully(lab: Lab, server: BenchServer, seconds: number): Promise<void> {
  const during: Lab = { ...lab, duration: { ...lab.duration, seconds } };
  // Before the clients start; the second client would otherwise start later.
  await lab.payloads.ensure(Math.ceil(1.5 * ESTIMATE * seconds));
  await Promise.all([
    measure(server, { ...puzzleLoad(during, server), connections: CONNECTIONS.puzzle }),
    measureVerifications(during, server, ESTIMATE, CONNECTIONS.verify),
  ]);
}

type Course = { readonly before: Memory; readonly after: Memory; readonly rested: Memory };

async function measureMemory(lab: Lab, threads: number, seconds: number): Promise<Course> {
  const server = await lab.startServer(threadSettings(threads));
  const before = memoryOf(server.pid);
  await loadFully(lab, server, seconds);
  const after = memoryOf(server.pid);
  await Bun.sleep(lab.duration.isQuick ? 0 : REST_MS);
  const rested = memoryOf(server.pid);
  await server.kill();
  return { before, after, rested };
}

const single = (name: string, value: number, target?: Row['target']) =>
  toRow({ name, unit: 'MB', values: [value], ...(target && { target }) });

async function run(lab: Lab): Promise<readonly Row[]> {
  const seconds = lab.duration.isQuick ? 2 : FULL_LOAD_SECONDS;
  const one = await measureMemory(lab, 1, seconds);
  const target = { of: 'value', bound: 'at most', required: 150, goal: 100 } as const;
  const rows = [
    single('resident memory after the start, one request thread', one.before.rss),
    single('proportional set size (PSS) after the start, one request thread', one.before.pss),
    single('resident memory after a minute of full load, one request thread', one.after.rss, target),
    single('proportional set size (PSS) after a minute of full load, one request thread', one.after.pss),
    single('resident memory five seconds later, one request thread', one.rested.rss),
  ];
  if (!hasThreads()) return rows;
  const [few, many] = THREADS;
  const withFew = await measureMemory(lab, few, seconds);
  const withMany = await measureMemory(lab, many, seconds);
  const perThread = (withMany.after.rss - withFew.after.rss) / (many - few);
  return [
    ...rows,
    single(`resident memory after a minute of full load, ${few} request threads`, withFew.after.rss),
    single(`resident memory after a minute of full load, ${many} request threads`, withMany.after.rss),
    single(`resident memory of each request thread (from ${few} to ${many})`, perThread),
  ];
}

export const memory: Part = {
  name: 'memory',
  title: 'Memory',
  method:
    'Two clients send `GET /puzzle` and `POST /verify` at the same time for one minute, over 24 and 8 connections, as fast as the server responds. The figures include everything: the executable, all threads, and all caches. PSS (proportional set size) divides the size of a shared page among the processes that share it. MB are millions of bytes.',
  limitSeconds: 480,
  needs: ['wrk'],
  run,
};
