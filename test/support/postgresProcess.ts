import { chownSync, closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { waitUntil } from './waitUntil.ts';

/**
 * Stops the server and removes its folder as soon as the standard input ends, which also happens if this process is killed.
 * The command line tells whether the process id still belongs to the server.
 */
const WATCHDOG = `trap '' HUP INT TERM
cat >/dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
isRunning() { grep -qaF "$1/data" "/proc/$pid/cmdline" 2>/dev/null; }
if isRunning "$1"; then kill -QUIT "$pid"; fi
while isRunning "$1"; do sleep 0.05; done
for attempt in 1 2 3 4 5; do
  rm -rf "$1" && exit
  sleep 1
done`;

/** @returns the folder of the newest installed version's programs */
function programsFolder(): string {
  const root = '/usr/lib/postgresql';
  const versions = [...new Bun.Glob('*/bin/postgres').scanSync({ cwd: root })].map((path) =>
    Number.parseInt(path, 10),
  );
  if (versions.length === 0) throw new Error('PostgreSQL is missing: install the Debian package postgresql');
  return join(root, String(Math.max(...versions)), 'bin');
}

type Account = { readonly uid: number; readonly gid: number };

/** @returns the user that runs the server, because PostgreSQL refuses to run as root; undefined if this process is not root */
function unprivilegedUser(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((option) => {
      const { exitCode, stdout } = Bun.spawnSync(['id', option, name], { stderr: 'ignore' });
      return exitCode === 0 ? Number(stdout.toString()) : undefined;
    });
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error('PostgreSQL cannot run as root: create the user nobody');
}

/** The folder of one server, and PostgreSQL's programs, which run as an unprivileged user. Both end when this process ends. */
export function createFolder() {
  const programs = programsFolder();
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), 'postern-postgres-'));
  const own = (path: string) => user && chownSync(path, user.uid, user.gid);
  own(folder);
  const watchdog = Bun.spawn(['sh', '-c', WATCHDOG, 'sh', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  watchdog.unref();
  const log = join(folder, 'server.log');

  /** @param program the name of a program of PostgreSQL, or the path of another program, which finds those of PostgreSQL */
  function spawn(program: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const change = user
      ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--']
      : [];
    const output = openSync(log, 'a');
    try {
      return Bun.spawn([...change, resolve(programs, program), ...words], {
        cwd: folder,
        env: { PATH: `${programs}:${process.env.PATH}`, LC_ALL: 'C', ...env },
        stdio: ['ignore', output, output],
      });
    } finally {
      closeSync(output);
    }
  }

  return {
    path: folder,
    data: join(folder, 'data'),
    spawn,
    logged: () => readFileSync(log, 'utf8'),
    async run(...command: Parameters<typeof spawn>): Promise<void> {
      if ((await spawn(...command).exited) !== 0)
        throw new Error(`${command[0]} failed: ${readFileSync(log, 'utf8')}`);
    },
    write(path: string, content: string): void {
      writeFileSync(join(folder, path), content, { mode: 0o600 });
      own(join(folder, path));
    },
    async remove(): Promise<void> {
      await watchdog.stdin.end();
      await watchdog.exited;
    },
  };
}

export type Folder = ReturnType<typeof createFolder>;

/** The main process of a server and its children. */
export function createProcess(folder: Folder) {
  const pidFile = join(folder.data, 'postmaster.pid');
  let main: ReturnType<Folder['spawn']> | undefined;

  /** The first line is the process id and the eighth the status (`src/include/utils/pidfile.h` of PostgreSQL). */
  function isReady(pid: number): boolean {
    try {
      const lines = readFileSync(pidFile, 'utf8').split('\n');
      return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
    } catch {
      return false;
    }
  }

  const childrenOf = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

  /** SIGINT requests a fast shutdown. */
  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (main === undefined) return;
    const children = signal === 'SIGKILL' ? childrenOf(main.pid) : [];
    main.kill(signal);
    for (const child of children) killIfRunning(child);
    await main.exited;
    main = undefined;
    await waitUntil('the processes of PostgreSQL end', () => !children.some(isRunning));
  }

  /** The main process gets the signal first, so that it starts no more children after SIGSTOP. */
  function signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (main === undefined) throw new Error('PostgreSQL is not running');
    main.kill(signal);
    for (const child of childrenOf(main.pid)) process.kill(child, signal);
  }

  return {
    async start(): Promise<void> {
      const child = folder.spawn('postgres', ['-D', folder.data]);
      child.unref();
      main = child;
      await waitUntil('PostgreSQL starts', () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`PostgreSQL ended: ${folder.logged()}`);
        return isReady(child.pid);
      });
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
  };
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The third field of `stat` is the state (proc_pid_stat(5)). A zombie has ended. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
