/**
 * `bun build.ts`          builds dist/postern, one executable.
 * `bun build.ts start`    builds it where the sources are newer, and runs it with the demo.
 *
 * Runs before any package is installed, so it imports nothing but Bun and Node.
 */
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = import.meta.dir;
const BINARY = join(ROOT, 'dist', 'postern');
/** Whatever goes into the binary. */
const SOURCES = ['src', 'static', 'migrations', 'bundle.ts', 'build.ts', 'package.json', 'bun.lock'];

// Each thread needs its own entry: the bundler does not find a worker's file by following imports.
const ENTRIES = ['src/main.ts', 'src/storage/sqlite/ledgerThread.ts', 'src/storage/sqlite/writerThread.ts'];

/** Runs this Bun. @throws where it fails */
function bun(args: readonly string[], purpose: string): void {
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (exitCode !== 0) throw new Error(`${purpose} failed`);
}

/** Installs what bun.lock names, where it is not there yet. */
export function install(): void {
  const marker = join(ROOT, 'node_modules', '.postern-installed');
  const isFresh = existsSync(marker) && statSync(marker).mtimeMs >= statSync(join(ROOT, 'bun.lock')).mtimeMs;
  if (isFresh) return;
  bun(['install', '--frozen-lockfile'], 'installing the packages');
  Bun.write(marker, '');
}

/** Compiles everything into one file; a build that fails leaves the last one in place. */
export function build(): string {
  mkdirSync(dirname(BINARY), { recursive: true });
  // Concurrent builds must not write the same file.
  const next = `${BINARY}.${process.pid}.next`;
  // A binary must do the same in every folder: no .env, no bunfig.toml of whoever starts it.
  const closed = ['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
  // Collects garbage earlier: a seventh less memory under full load, at the same speed (docs/explanation/performance.md).
  const small = '--compile-exec-argv=--smol';
  bun(
    ['build', '--compile', '--minify', '--sourcemap=none', ...closed, small, ...ENTRIES, '--outfile', next],
    'the build',
  );
  renameSync(next, BINARY);
  return BINARY;
}

/** Builds where a source is newer than the binary. */
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

/** Runs the appliance with the demo until it is told to stop. */
async function start(): Promise<number> {
  install();
  const binary = buildIfStale();
  const server = Bun.spawn([binary, 'serve', ...process.argv.slice(3)], {
    cwd: ROOT,
    stdio: ['inherit', 'inherit', 'inherit'],
    env: { POSTERN_DEMO: 'on', ...process.env },
  });
  // A terminal signals the whole group, a supervisor only us: pass it on, and wait for the drain.
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
