import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Copies of the repository in which source files have mutants, and the tests use the harness. */

/** The folders with code that is loaded by its path; all others are links, because Bun would load linked code from its real path. */
const COPIED: ReadonlySet<string> = new Set(['src', 'test', 'build']);
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.ci', 'dist']);

const HARNESS = ['harness.ts', 'job.ts', 'play.ts', 'driver.ts', 'runtime.ts'];

export type Mirror = { readonly folder: string; readonly remove: () => void };

function toSpecifier(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/**
 * @param root the repository
 * @param codes the code with mutants, by the path of the file below the root
 * @param mutantCount the number of all mutants
 */
export function createMirror(root: string, codes: ReadonlyMap<string, string>, mutantCount: number): Mirror {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const { name } = entry;
    const [from, to] = [join(root, name), join(folder, name)];
    if (LEFT_OUT.has(name)) continue;
    if (entry.isFile() || COPIED.has(name)) cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
  // A database server that the tests start has another user.
  chmodSync(folder, 0o755);
  const harness = join(folder, 'mutation');
  mkdirSync(harness);
  mkdirSync(join(folder, 'tmp'));
  for (const name of HARNESS) cpSync(join(import.meta.dir, name), join(harness, name));
  for (const [file, code] of codes) {
    const path = join(folder, file);
    const specifier = toSpecifier(path, join(harness, 'runtime.ts'));
    writeFileSync(path, `import { $l, $m } from '${specifier}'; ${code}`);
  }
  useHarness(join(folder, 'test'), join(harness, 'harness.ts'));
  writeFileSync(join(folder, 'test/mutation.test.ts'), "import '../mutation/driver.ts';\n");
  writeFileSync(join(harness, 'state.bin'), new Uint8Array(16 + mutantCount));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function useHarness(tests: string, harness: string): void {
  for (const entry of readdirSync(tests, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    const changed = text.replaceAll("from 'bun:test'", `from '${toSpecifier(path, harness)}'`);
    if (changed !== text) writeFileSync(path, changed);
  }
}
