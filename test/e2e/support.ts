import { test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../../build/build.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { killLeftovers } from '../support/binary.ts';

/** The path of the executable, which is built if a source file is newer. */
export const BINARY = buildIfStale();

/** Runs a test with an empty folder. @see withFolder */
export function testInFolder(
  title: string,
  work: (folder: string) => Promise<void>,
  timeoutMs = 120_000,
): void {
  test(title, () => withFolder(work), timeoutMs);
}

/** The folders that tests of this process use at the moment. */
const used = new Set<string>();

/** Creates an empty folder for the work. Afterward, the folder is deleted, and all servers are killed unless other tests still run. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-e2e-'));
  used.add(folder);
  try {
    return await work(folder);
  } finally {
    used.delete(folder);
    if (used.size === 0) await killLeftovers();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a test that mostly waits, at the same time as the other such tests of its file. @see testInFolder */
export function testInFolderConcurrently(
  title: string,
  work: (folder: string) => Promise<void>,
  timeoutMs = 120_000,
): void {
  test.concurrent(title, () => withFolder(work), timeoutMs);
}

/** Runs a command of the executable. @returns its JSON document */
export async function postern<T>(dataDir: string, ...args: readonly string[]): Promise<T> {
  const child = Bun.spawn([BINARY, ...args, '--json', '--data-dir', dataDir], {
    env: { PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`postern ${args.join(' ')} exited with ${exitCode}: ${errors}`);
  return JSON.parse(output) as T;
}

/** Runs a command in this process, which is faster than starting the executable. @returns its JSON document */
async function run<T>(dataDir: string, ...args: readonly string[]): Promise<T> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const exitCode = await runCommandLine([...args, '--json', '--data-dir', dataDir], {
    environment: {},
    out: write,
    err: write,
    stdin: async () => '',
  });
  if (exitCode !== 0) throw new Error(`${args.join(' ')} exited with ${exitCode}: ${lines.join('\n')}`);
  return JSON.parse(lines.at(-1) ?? '') as T;
}

export type PropertyAndKey = { readonly sitekey: string; readonly verifyKey: string };

/** Creates a user, an organization, a property of level 1, and a `verify` key. @param options for the property */
export async function addProperty(dataDir: string, ...options: readonly string[]): Promise<PropertyAndKey> {
  const email = 'owner@example.com';
  await run(dataDir, 'users', 'create', '--email', email);
  const org = await run<{ id: string }>(dataDir, 'orgs', 'create', '--user', email, '--name', 'Org');
  const property = await run<{ sitekey: string }>(
    dataDir,
    ...['properties', 'create', '--org', org.id, '--name', 'Shop', '--domain', 'example.com'],
    '--no-dns-check',
    ...['--level', '1', '--growth', 'constant', ...options],
  );
  const key = await run<{ key: string }>(
    dataDir,
    ...['keys', 'create', '--user', email, '--name', 'Backend', '--scope', 'verify'],
  );
  return { sitekey: property.sitekey, verifyKey: key.key };
}

/** Rate limits that no test reaches. */
export const HIGH_LIMITS = {
  POSTERN_PUZZLE_RATE: '1000000',
  POSTERN_PUZZLE_BURST: '1000000',
  POSTERN_VERIFY_RATE: '1000000',
  POSTERN_VERIFY_BURST: '1000000',
  POSTERN_PORTAL_RATE: '1000000',
  POSTERN_PORTAL_BURST: '1000000',
};
