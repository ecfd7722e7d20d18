/**
 * `bun run soak`: a server runs at half of its maximum rate for SOAK_MINUTES (20 by default). Prints resident memory and verdicts
 * every minute, and the slope of the memory. Uses only the loopback interface. Exits with code 1 if a response was wrong.
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addProperty, BINARY, HIGH_LIMITS } from '../e2e/support.ts';
import { startBinary } from '../support/binary.ts';
import { residentMb } from '../support/memory.ts';
import { startVisits, type Visits } from './visits.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 20);
/** How long the maximum rate is measured, in milliseconds. */
const FULL_LOAD_MS = 15_000;
/** The first minutes fill caches, so the slope excludes them. */
const WARM_UP_MINUTES = 3;
const MB = 1e6;

type Sample = { readonly minute: number; readonly residentMb: number };

/** The slope of a line through the samples (least squares), in MB per hour. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [
    mean(samples.map(({ minute }) => minute)),
    mean(samples.map(({ residentMb }) => residentMb)),
  ];
  const covariance = mean(samples.map(({ minute, residentMb }) => (minute - x) * (residentMb - y)));
  return (covariance / mean(samples.map(({ minute }) => (minute - x) ** 2))) * 60;
}

async function measureMaximum(visits: Visits): Promise<number> {
  const before = visits.counts.visits;
  visits.setRate(Number.POSITIVE_INFINITY);
  await Bun.sleep(FULL_LOAD_MS);
  visits.setRate(0);
  return ((visits.counts.visits - before) / FULL_LOAD_MS) * 1000;
}

function printRow(minute: number, pid: number, visits: Visits, dataDir: string): Sample {
  const sample = { minute, residentMb: residentMb(pid) };
  const claimsMb = (statSync(join(dataDir, 'claims.sqlite')).size / MB).toFixed(1);
  const { accepted, replayed, wrong, lost } = visits.counts;
  console.log(
    `${String(minute).padStart(3)} min  ${sample.residentMb.toFixed(1)} MB resident  ${accepted} accepted  ${replayed} replays rejected  ${wrong} wrong  ${lost} without response  claims.sqlite ${claimsMb} MB`,
  );
  return sample;
}

async function soak(dataDir: string): Promise<boolean> {
  const property = await addProperty(dataDir);
  const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
  const visits = startVisits(server.url, property);
  const maximum = await measureMaximum(visits);
  const rate = maximum / 2;
  console.log(
    `maximum: ${maximum.toFixed(0)} visits per second; now ${rate.toFixed(0)} for ${MINUTES} minutes`,
  );
  const before = visits.counts.visits;
  visits.setRate(rate);
  const samples: Sample[] = [];
  for (let minute = 0; minute <= MINUTES; minute++) {
    if (minute > 0) await Bun.sleep(60_000);
    samples.push(printRow(minute, server.pid, visits, dataDir));
  }
  const reached = (visits.counts.visits - before) / (MINUTES * 60);
  await visits.stop();
  const exitCode = await server.end('SIGTERM');
  const { accepted, wrong, lost } = visits.counts;
  const claims = new Database(join(dataDir, 'claims.sqlite'));
  const stored = claims.query<{ n: number }, []>('SELECT count(*) AS n FROM claims').get()?.n;
  claims.close();
  const counted = samples.filter(({ minute }) => minute >= Math.min(WARM_UP_MINUTES, MINUTES - 1));
  console.log(`rate: ${reached.toFixed(0)} visits per second (one puzzle, one verification each)`);
  console.log(`memory: ${slopeOf(counted).toFixed(2)} MB per hour after ${WARM_UP_MINUTES} minutes`);
  console.log(`claims: ${stored} stored, ${accepted} accepted; exit code ${exitCode}`);
  return wrong === 0 && lost === 0 && stored === accepted && exitCode === 0;
}

const dataDir = mkdtempSync(join(tmpdir(), 'postern-soak-'));
const isCorrect = await soak(dataDir);
rmSync(dataDir, { recursive: true, force: true });
process.exitCode = isCorrect ? 0 : 1;
