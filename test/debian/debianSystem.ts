import { expect } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../build/build.ts';

/** Debian's name of this processor. */
export const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';

const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
const CACHE = join(ROOT, `node_modules/.cache/release/${SUITE}-${ARCHITECTURE}.tar`);

export type Ended = { readonly exitCode: number; readonly out: string; readonly err: string };

/** Runs a program of this machine with the environment of a service. */
export function run(command: readonly string[], input = ''): Ended {
  const child = Bun.spawnSync([...command], {
    cwd: ROOT,
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      LC_ALL: 'C.UTF-8',
      DEBIAN_FRONTEND: 'noninteractive',
    },
    stdin: Buffer.from(input),
  });
  return { exitCode: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
}

/** Runs a program of this machine. @returns its standard output without whitespace at the ends @throws if it fails */
export function outputOf(command: readonly string[], input = ''): string {
  const { exitCode, out, err } = run(command, input);
  if (exitCode !== 0) throw new Error(`${command.join(' ')} exited with ${exitCode}: ${out}${err}`);
  return out.trim();
}

/** Creates a Debian system with systemd and the essential packages, which the first run downloads. */
export function createSystem(folder: string): void {
  mkdirSync(dirname(CACHE), { recursive: true });
  // Several processes may need it at the same time.
  const script = `[ -e "$0" ] || {
    mmdebstrap --quiet --variant=essential --include=passwd,systemd,systemd-sysv --dpkgopt=force-unsafe-io ${SUITE} "$0.next.tar" ${MIRROR}
    mv "$0.next.tar" "$0"
  }`;
  expect(run(['flock', `${CACHE}.lock`, 'sh', '-euc', script, CACHE])).toMatchObject({ exitCode: 0 });
  expect(existsSync(CACHE)).toBe(true);
  mkdirSync(folder, { recursive: true });
  expect(run(['tar', '--extract', '--file', CACHE, '--directory', folder])).toMatchObject({ exitCode: 0 });
}
