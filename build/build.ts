/**
 * `bun build/build.ts`             builds dist/postern, one executable.
 * `bun build/build.ts start`       builds it if a source file is newer, and runs it with the demo.
 * `bun build/build.ts release`     builds a release (`release/main.ts`).
 *
 * This file runs before any package is installed, so it imports only Bun and Node. Code that needs packages runs in a new process:
 * Bun does not find packages that were installed while it was running.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dir, '..');
const BINARY = join(ROOT, 'dist', 'postern');
/** Everything that the executable is built from. */
const SOURCES = [
  'src',
  'build',
  'static',
  'migrations',
  'packages',
  'docs',
  'deploy',
  'CHANGELOG.md',
  'SECURITY.md',
  'LICENSE',
  'package.json',
  'bun.lock',
];

/** Runs Bun with these arguments. @throws if it fails */
function bun(args: readonly string[], purpose: string): void {
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (exitCode !== 0) throw new Error(`${purpose} failed`);
}

/** Installs the packages in bun.lock unless they are installed already. */
export function install(): void {
  const marker = join(ROOT, 'node_modules', '.postern-installed');
  const isFresh = existsSync(marker) && statSync(marker).mtimeMs >= statSync(join(ROOT, 'bun.lock')).mtimeMs;
  if (isFresh) return;
  bun(['install', '--frozen-lockfile'], 'installing the packages');
  Bun.write(marker, '');
}

/** Compiles the executable. If the build fails, the previous executable remains. @returns its path */
export function build(): string {
  bun(['build/compile.ts', BINARY], 'the build');
  return BINARY;
}

/** Builds if a source file is newer than the executable. @returns the path of the executable */
export function buildIfStale(): string {
  return existsSync(BINARY) && newestSource() < statSync(BINARY).mtimeMs ? BINARY : build();
}

function newestSource(): number {
  let newest = 0;
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    const files = statSync(path).isDirectory()
      ? [...new Bun.Glob('**/*').scanSync({ cwd: path, absolute: true })]
      : [path];
    for (const file of files) newest = Math.max(newest, statSync(file).mtimeMs);
  }
  return newest;
}

/** Runs the server with the demo until a signal stops it. @returns its exit code */
async function start(args: readonly string[]): Promise<number> {
  const server = Bun.spawn([buildIfStale(), 'serve', ...args], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { POSTERN_DEMO: 'on', ...process.env },
  });
  // A terminal sends signals to the whole process group, but a supervisor only to this process: forward them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => server.kill(signal));
  return server.exited;
}

/** Builds a release in dist/release. @returns the exit code */
function release(args: readonly string[]): number {
  const command = [process.execPath, join(import.meta.dir, 'release/main.ts'), ...args];
  return Bun.spawnSync(command, { stdio: ['inherit', 'inherit', 'inherit'] }).exitCode;
}

if (import.meta.main) {
  const [command, ...args] = process.argv.slice(2);
  install();
  if (command === 'start') process.exitCode = await start(args);
  else if (command === 'release') process.exitCode = release(args);
  else if (command === undefined) console.log(build());
  else throw new Error(`unknown command ${command}; usage: bun build/build.ts [start | release]`);
}
