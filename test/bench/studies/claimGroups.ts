/**
 * `bun test/bench/studies/claimGroups.ts`: measures PostgreSQL's processor time per claim if many lightly loaded nodes share one database.
 * Each node is a ledger with its own connections; its claims arrive at random times. Asserts nothing.
 *
 * Needs PostgreSQL (Debian package `postgresql`). Environment: BENCH_NODES (20), BENCH_RATE (2000 claims per second of all nodes
 * together), BENCH_SECONDS (20).
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim } from '../../../src/model/ports/replayLedger.ts';
import { createLedgerDatabase } from '../../storage/postgres/ledgers.ts';
import { startPostgres } from '../../support/postgres.ts';
import { databaseCpu } from '../harness/databaseCpu.ts';
import { median } from '../harness/row.ts';

const NODES = Number(process.env.BENCH_NODES ?? 20);
const RATE = Number(process.env.BENCH_RATE ?? 2000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const WARM_UP_SECONDS = 5;
/** Interval of the timer that sends the claims that have arrived. */
const TICK_MS = 1;

const newClaim = (): Claim => ({
  puzzleId: crypto.getRandomValues(new Uint8Array(8)),
  expiresAtSeconds: Math.floor(Date.now() / 1000) + 1800,
  keyFingerprint: 1,
});

/** The time until the next claim, in milliseconds (a Poisson process). */
const nextGap = (perSecond: number) => (-Math.log(1 - Math.random()) * 1000) / perSecond;

const server = await startPostgres({ isDurable: true, settings: { max_connections: '200' } });
try {
  const database = await createLedgerDatabase(server);
  const groups: number[] = [];
  const onCommit = ({ claims }: { readonly claims: number }) => void groups.push(claims);
  const ledgers = await Promise.all(Array.from({ length: NODES }, () => database.open({ onCommit })));
  let milliseconds: number[] = [];
  let failed = 0;

  async function claim(ledger: (typeof ledgers)[number]): Promise<void> {
    const startedAt = performance.now();
    try {
      await ledger.claim(newClaim());
      milliseconds.push(performance.now() - startedAt);
    } catch {
      failed++;
    }
  }

  const arrivals = ledgers.map(() => performance.now() + nextGap(RATE / NODES));
  const timer = setInterval(() => {
    for (const [i, ledger] of ledgers.entries()) {
      while ((arrivals[i] as number) <= performance.now()) {
        arrivals[i] = (arrivals[i] as number) + nextGap(RATE / NODES);
        void claim(ledger);
      }
    }
  }, TICK_MS);

  await Bun.sleep(WARM_UP_SECONDS * 1000);
  const before = databaseCpu(server);
  milliseconds = [];
  groups.length = 0;
  await Bun.sleep(SECONDS * 1000);
  const used = databaseCpu(server) - before;
  clearInterval(timer);
  const claims = groups.reduce((sum, group) => sum + group, 0);
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const load = readFileSync(join('/proc', 'loadavg'), 'utf8').split(' ')[0];
  console.log(
    [
      `${NODES} nodes, ${(claims / SECONDS).toFixed(0)} claims/s, ${(claims / groups.length).toFixed(2)} claims per group`,
      `${(used / claims).toFixed(1)} µs of PostgreSQL per claim, ${(used / SECONDS / 1e6).toFixed(2)} cores`,
      `p50 ${median(sorted).toFixed(1)} ms, p99 ${(sorted[Math.floor(sorted.length * 0.99)] ?? 0).toFixed(1)} ms`,
      `${failed} failed, load average ${load}`,
    ].join('; '),
  );
  await Promise.all(ledgers.map((ledger) => ledger.close()));
} finally {
  await server.remove();
}
process.exit(0);
