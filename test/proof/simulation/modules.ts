import { join } from 'node:path';
import { plugin } from 'bun';
import type { Fault } from './faults.ts';

/** Changes modules of the product when they are loaded: the seams of the simulation, and at most one fault. */

const SOURCE = join(import.meta.dir, '../../../src');

const SOURCES = new RegExp(`^${SOURCE.replace(/[^\w/]/g, '\\$&')}/.*\\.ts$`);

type Change = { readonly find: string; readonly replace: string };

/** The few places where the product uses something that the simulation must replace and that is not a parameter. */
const SEAMS: Readonly<Record<string, readonly Change[]>> = {
  // The only module that opens the claims file for the ledger.
  'storage/sqlite/ledger/claims.ts': [
    {
      find: "import { openFile } from '../open.ts';",
      replace: 'const openFile = (file: string) => globalThis.simulatedDisk(file);',
    },
  ],
  // Limits that a schedule with a few dozen claims would never reach.
  'storage/sqlite/ledger/recentClaims.ts': [
    { find: 'const GENERATION = 16_384;', replace: 'const GENERATION = 4;' },
    { find: 'const MIN_MOVED = 512;', replace: 'const MIN_MOVED = 3;' },
  ],
  'storage/sqlite/ledger/movedPuzzles.ts': [
    { find: 'const BITS = 2 ** 23;', replace: 'const BITS = 2 ** 5;' },
    { find: 'const CAPACITY = 2 ** 20;', replace: 'const CAPACITY = 5;' },
  ],
  'storage/sqlite/ledger/ledgerThread.ts': [
    { find: 'const PURGE_SIZE = 5000;', replace: 'const PURGE_SIZE = 3;' },
  ],
  'storage/sqlite/ledger/ledger.ts': [
    { find: 'const MAX_UNANSWERED = 32;', replace: 'const MAX_UNANSWERED = 2;' },
  ],
  'storage/ledgerClient/claimRequests.ts': [
    { find: 'const FULL_GROUP = 24;', replace: 'const FULL_GROUP = 3;' },
  ],
  'storage/postgres/ledger/groups.ts': [
    { find: 'const MAX_GROUP = 512;', replace: 'const MAX_GROUP = 4;' },
    { find: 'const GROUP_STEP = 8;', replace: 'const GROUP_STEP = 2;' },
  ],
  // Each simulated thread has its own pacer, like each thread of a server.
  'lib/pacer.ts': [
    {
      find: 'export const pacer: Pacer = createPacer({',
      replace: 'export const pacer: Pacer = globalThis.simulatedPerThread(createPacer, {',
    },
  ],
};

/** The module of the ledger thread has state that belongs to one thread, so it becomes a function that starts a thread. */
const LEDGER_THREAD = 'storage/sqlite/ledger/ledgerThread.ts';
const IMPORT = /^import [^;]*;$/gm;

function toFunction(code: string): string {
  const text = new Bun.Transpiler({ loader: 'ts' }).transformSync(code);
  const imports = text.match(IMPORT) ?? [];
  return `${imports.join('\n')}\nexport function boot(self) {\n${text.replace(IMPORT, '')}\n}\n`;
}

/** @throws if the module does not contain the text exactly once: a change of the product needs a change here */
function applyChange(file: string, text: string, { find, replace }: Change): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`src/${file} contains this text ${parts.length - 1} times instead of once: ${find}`);
  return parts.join(replace);
}

/**
 * Registers the changes. Call it before the modules are imported.
 *
 * @returns a function that returns the files with changes that were not loaded, for example because they were moved
 */
export function changeModules(fault?: Fault): () => readonly string[] {
  const files = new Set([...Object.keys(SEAMS), LEDGER_THREAD, ...(fault ? [fault.file] : [])]);
  plugin({
    name: 'simulation',
    setup(build) {
      build.onLoad({ filter: SOURCES }, async ({ path }) => {
        const file = path.slice(SOURCE.length + 1);
        files.delete(file);
        let contents = await Bun.file(path).text();
        for (const change of SEAMS[file] ?? []) contents = applyChange(file, contents, change);
        if (fault?.file === file) contents = applyChange(file, contents, fault);
        if (file === LEDGER_THREAD) return { contents: toFunction(contents), loader: 'js' };
        return { contents, loader: 'ts' };
      });
    },
  });
  return () => [...files];
}
