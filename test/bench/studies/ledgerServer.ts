/**
 * The server of `ledger.ts`: `/claim` claims a new puzzle, `/none` does the same without the claim. Arguments: the folder of the
 * sources to measure, and the claims file. Prints its port and the ids of its threads.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerFileOptions } from '../../../src/storage/sqlite/ledger/ledger.ts';
import type { ServerLedger } from '../../../src/storage/storage.ts';

type Ledgers = { readonly openLedger: (options: LedgerFileOptions) => Promise<ServerLedger> };

/** The puzzles that are presented at the same time were issued within this time. */
const SPREAD_SECONDS = 30;

const [root = '', file = ''] = process.argv.slice(2);
const { openLedger } = (await import(join(root, 'src/storage/sqlite/ledger/ledger.ts'))) as Ledgers;

const threads = () => new Set(readdirSync('/proc/self/task'));
const others = threads();
let [commits, claims] = [0, 0];
const ledger = await openLedger({
  file,
  durability: 'full',
  onCommit(commit) {
    commits++;
    claims += commit.claims;
  },
});

/** About as much work as sixteen hashes. */
function work(): number {
  let sum = 0;
  for (let i = 0; i < 10_000; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

function newClaim() {
  const puzzleId = crypto.getRandomValues(new Uint8Array(8));
  const expiresAtSeconds = Math.floor(Date.now() / 1000 + 600 - Math.random() * SPREAD_SECONDS);
  return { puzzleId, expiresAtSeconds, keyFingerprint: 1 };
}

const server = Bun.serve({
  port: 0,
  async fetch({ url }) {
    const claim = newClaim();
    work();
    if (url.endsWith('/stats')) return Response.json({ commits, claims });
    const count = await (url.endsWith('/claim') ? ledger.claim(claim) : Promise.resolve(1));
    return count === 1 ? new Response('accepted') : new Response('rejected', { status: 500 });
  },
});
const [ledgerThread] = [...threads()].filter((id) => !others.has(id));
console.log(JSON.stringify({ port: server.port, ledgerThread }));
