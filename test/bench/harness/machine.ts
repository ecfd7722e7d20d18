import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** Where and with what a part was measured. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  /** Main memory in GB. */
  readonly memory: number;
  /** Linux version. */
  readonly kernel: string;
  /** Of Bun, and of the other programs that are installed. */
  readonly versions: Readonly<Record<string, string>>;
};

/** The first version number in the output. Some programs print it on standard error. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  wrk: ['wrk', '-v'],
  nginx: ['nginx', '-v'],
  OpenSSL: ['openssl', 'version'],
  'C compiler': [Bun.which('clang') === null ? 'gcc' : 'clang', '--version'],
  'Node.js': ['node', '--version'],
  Chromium: ['chromium', '--version'],
  PostgreSQL: ['psql', '--version'],
};

export function describeMachine(): Machine {
  const [first, ...others] = cpus();
  const versions: Record<string, string> = { Bun: Bun.version };
  for (const [name, command] of Object.entries(PROGRAMS)) {
    const version = versionOf(command);
    if (version !== undefined) versions[name] = version;
  }
  return {
    processor: first?.model.trim() ?? 'unknown',
    cores: others.length + 1,
    memory: Math.round(totalmem() / 1e9),
    kernel: release(),
    versions,
  };
}

function versionOf([program = '', ...args]: readonly string[]): string | undefined {
  if (Bun.which(program) === null) return undefined;
  const { stdout, stderr } = Bun.spawnSync([program, ...args]);
  // Some compilers also print the version of their package.
  return /\d+(?:\.\d+)+/.exec(`${stdout}${stderr}`.replace(/\([^)]*\)/g, ''))?.[0];
}

/** The commit of the working tree. */
export type Commit = {
  /** 12 hexadecimal digits; `unknown` outside of a Git repository. */
  readonly id: string;
  /** Whether tracked files differ from the commit. */
  readonly isModified: boolean;
};

export function currentCommit(): Commit {
  const git = (...args: string[]) => Bun.spawnSync(['git', ...args], { cwd: import.meta.dir });
  const { stdout, success } = git('rev-parse', '--short=12', 'HEAD');
  if (!success) return { id: 'unknown', isModified: false };
  const changes = git('status', '--porcelain', '--untracked-files=no').stdout.toString();
  return { id: stdout.toString().trim(), isModified: changes.trim() !== '' };
}

/** Share of the processor above which the results are unreliable. */
export const BUSY = 0.1;

const SAMPLE_MS = 500;

/** @returns the share of all cores that other programs use at the moment, from 0 to 1 (proc_stat(5)) */
export async function busyShare(): Promise<number> {
  const before = processorTimes();
  await Bun.sleep(SAMPLE_MS);
  const after = processorTimes();
  return Number(((after.busy - before.busy) / (after.total - before.total)).toFixed(2));
}

function processorTimes(): { readonly busy: number; readonly total: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, ...others] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  // The last two values, the time of virtual machines, are part of the first two.
  const busy = user + nice + system + others.slice(0, 3).reduce((sum, value) => sum + value, 0);
  return { busy, total: busy + idle + wait };
}
