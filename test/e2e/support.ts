import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../../build.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { killLeftovers } from '../support/binary.ts';

/** The compiled binary, built where a source is newer. */
export const BINARY = buildIfStale();

/** A data folder that is gone after the work, and the servers with it. */
export async function withFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-e2e-'));
  try {
    return await work(dataDir);
  } finally {
    await killLeftovers();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Runs one command of the binary on a data folder. @returns its JSON */
export async function postern<T>(dataDir: string, ...words: readonly string[]): Promise<T> {
  const child = Bun.spawn([BINARY, ...words, '--json', '--data-dir', dataDir], {
    env: { PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`postern ${words.join(' ')} ended with ${exitCode}: ${errors}`);
  return JSON.parse(output) as T;
}

export type Site = { readonly sitekey: string; readonly verifyKey: string; readonly org: string };

/** Runs one command in this process, which is faster than starting the binary. @returns its JSON */
async function command<T>(dataDir: string, ...words: readonly string[]): Promise<T> {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const exitCode = await runCommandLine([...words, '--json', '--data-dir', dataDir], {
    environment: {},
    out: write,
    err: write,
    stdin: async () => '',
  });
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${lines.join('\n')}`);
  return JSON.parse(lines.at(-1) ?? '') as T;
}

/** A user, an organization, a property of level 1 and a key, made by commands alone. */
export async function makeSite(dataDir: string, ...settings: readonly string[]): Promise<Site> {
  const email = 'owner@example.com';
  await command(dataDir, 'users', 'create', '--email', email);
  const org = await command<{ id: string }>(dataDir, 'orgs', 'create', '--user', email, '--name', 'Org');
  const property = await command<{ sitekey: string }>(
    dataDir,
    ...['properties', 'create', '--org', org.id, '--name', 'Site', '--domain', 'example.com'],
    '--no-dns-check',
    ...['--level', '1', '--growth', 'constant', ...settings],
  );
  const key = await command<{ key: string }>(
    dataDir,
    ...['keys', 'create', '--user', email, '--name', 'Backend', '--scope', 'verify'],
  );
  return { sitekey: property.sitekey, verifyKey: key.key, org: org.id };
}

/** Rates that no test meets by accident. */
export const AMPLE = {
  POSTERN_PUZZLE_RATE: '1000000',
  POSTERN_PUZZLE_BURST: '1000000',
  POSTERN_VERIFY_RATE: '1000000',
  POSTERN_VERIFY_BURST: '1000000',
  POSTERN_PORTAL_RATE: '1000000',
  POSTERN_PORTAL_BURST: '1000000',
};
