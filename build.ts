/**
 * `bun build.ts`          builds dist/postern, one executable.
 * `bun build.ts start`    builds it if a source file is newer, and runs it with the demo.
 *
 * This file runs before any package is installed, so it imports only Bun and Node.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = import.meta.dir;
const BINARY = join(ROOT, 'dist', 'postern');
/** Everything that the executable is built from. */
const SOURCES = [
  'src',
  'static',
  'migrations',
  'bundle.ts',
  'highlight.ts',
  'documentation',
  'docs',
  'deploy',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'compile.ts',
  'build.ts',
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

/** Compiles the executable. If the build fails, the previous executable stays. @returns its path */
export function build(): string {
  // A new process, because the compiler needs packages that this process may have just installed.
  bun([join(ROOT, 'compile.ts'), BINARY], 'the build');
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
async function start(): Promise<number> {
  install();
  const binary = buildIfStale();
  const server = Bun.spawn([binary, 'serve', ...process.argv.slice(3)], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { POSTERN_DEMO: 'on', ...process.env },
  });
  // A terminal sends signals to the whole process group, but a supervisor only to this process: forward them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => server.kill(signal));
  return server.exited;
}

if (import.meta.main) {
  if (process.argv[2] === 'start') {
    process.exitCode = await start();
  } else {
    install();
    console.log(build());
  }
}
