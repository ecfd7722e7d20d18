/**
 * Records of layers that passed, so that slow layers do not run again until a file that they can depend on changes.
 * Git ignores the records: a new clone, and thus CI, runs everything.
 *
 * This file runs before any package is installed, so it imports only Bun and Node.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
/** The installed Debian packages, whose programs the tests use. Other systems do not have this file. */
const INSTALLED_PACKAGES = '/var/lib/dpkg/status';
const fileOf = (root: string, name: string) => join(root, 'node_modules/.cache/postern/passed', name);

/** All files that Git tracks or would track, sorted. */
function repositoryFiles(root: string): readonly string[] | undefined {
  const list = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const { exitCode, stdout } = Bun.spawnSync(list, { cwd: root, stderr: 'ignore' });
  return exitCode === 0 ? stdout.toString().split('\0').filter(Boolean).sort() : undefined;
}

/**
 * @param paths files and folders below `test/`
 * @returns a hash of every file of the repository except the test files outside these paths, and of the list of installed Debian
 *   packages; undefined outside a Git clone
 */
export function hashInputs(paths: readonly string[], root = ROOT): string | undefined {
  const isForeign = (file: string) =>
    /\.test\.tsx?$/.test(file) && !paths.some((path) => `${file}/`.startsWith(`test/${path}/`));
  const hash = createHash('sha256').update(`${Bun.version} ${process.arch} ${paths.join(' ')}`);
  if (existsSync(INSTALLED_PACKAGES)) hash.update(readFileSync(INSTALLED_PACKAGES));
  const files = repositoryFiles(root);
  for (const file of files ?? []) {
    if (isForeign(file) || !existsSync(join(root, file))) continue;
    const content = readFileSync(join(root, file));
    hash.update(`\n${file} ${content.length}\n`).update(content);
  }
  return files && hash.digest('hex');
}

/** @returns when the layer passed with these inputs in this clone, as a date in ISO 8601; undefined if it did not */
export function passedAt(name: string, inputs: string | undefined, root = ROOT): string | undefined {
  const file = fileOf(root, name);
  if (inputs === undefined || !existsSync(file)) return undefined;
  const [recorded, date] = readFileSync(file, 'utf8').split(' ');
  return recorded === inputs ? date : undefined;
}

/** Records that the layer passed with these inputs. */
export function recordPass(name: string, inputs: string, root = ROOT): void {
  const file = fileOf(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${inputs} ${new Date().toISOString()}`);
}
