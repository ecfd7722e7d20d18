import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, postern } from '../../e2e/support.ts';
import { freePort, type RunningBinary, startBinary } from '../../support/binary.ts';
import { METRICS_TOKEN } from '../../support/prometheus.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';

/** A fault that makes alerts fire. */
export type Fault = {
  readonly name: string;
  /** The alerts that must fire; none if the target stays healthy. */
  readonly alerts: readonly string[];
  /** Starts a healthy target. */
  readonly start: (template: Template) => Promise<Target>;
};

/** What Prometheus scrapes. */
export type Target = {
  readonly url: string;
  readonly inject: () => unknown;
  readonly stop: () => Promise<void>;
};

/** A data folder, from which each server gets a copy. */
export type Template = PropertyAndKey & {
  readonly portalKey: string;
  readonly organization: string;
  /** Creates an empty folder. */
  readonly newFolder: () => string;
  /** Copies the data folder into a new one. @param hasBackup whether the data has a recent backup */
  readonly copyTo: (dataDir: string, hasBackup?: boolean) => void;
};

/** Creates the data: a property, an API key for verifications, and one for the Platform API. */
export async function createTemplate(folder: string): Promise<Template> {
  const [saved, unsaved] = [join(folder, 'saved'), join(folder, 'unsaved')];
  const property = await addProperty(unsaved);
  const key = ['--user', 'owner@example.com', '--name', 'Scripts', '--scope', 'portal'];
  const { key: portalKey } = await postern<{ key: string }>(unsaved, 'keys', 'create', ...key);
  const [organization] = await postern<{ id: string }[]>(unsaved, 'orgs', 'list');
  cpSync(unsaved, saved, { recursive: true });
  await postern(saved, 'backup', join(folder, 'backup.tar'));
  let folders = 0;
  return {
    ...property,
    portalKey,
    organization: organization?.id ?? '',
    newFolder() {
      const path = join(folder, String(++folders));
      mkdirSync(path);
      return path;
    },
    copyTo: (dataDir, hasBackup = true) => cpSync(hasBackup ? saved : unsaved, dataDir, { recursive: true }),
  };
}

/** Settings of every target. */
const SETTINGS: Readonly<Record<string, string>> = {
  ...HIGH_LIMITS,
  POSTERN_METRICS_TOKEN: METRICS_TOKEN,
  POSTERN_THREADS: '1',
};

type ServerOptions = {
  readonly settings?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  /** Contains the data folder; a new folder by default. */
  readonly folder?: string;
};

/** A server with a copy of the data, which can be started again at the same address. */
export async function startServer(template: Template, options: ServerOptions = {}) {
  const { settings = {}, command = [BINARY], folder = template.newFolder() } = options;
  const dataDir = join(folder, 'data');
  template.copyTo(dataDir);
  const port = String(await freePort());
  const start = () =>
    startBinary(command, { ...SETTINGS, POSTERN_DATA_DIR: dataDir, POSTERN_PORT: port, ...settings });
  let current: RunningBinary = await start();
  return {
    url: current.url,
    dataDir,
    folder,
    pid: () => current.pid,
    kill: () => current.kill(),
    /** Stops the server, runs the work, and starts the server again. */
    async restart(work: () => unknown = () => {}): Promise<void> {
      await current.end('SIGTERM');
      await work();
      current = await start();
    },
    stop: () => current.kill(),
  };
}

/** Starts work at an interval, without waiting for its completion. @returns a function that stops it */
export function repeat(everyMs: number, work: () => Promise<unknown>): () => void {
  const timer = setInterval(() => void work().catch(() => {}), everyMs);
  return () => clearInterval(timer);
}

/** Visitors of a page, one per second, whose solutions a backend verifies. @returns a function that stops them */
export function startVisitors(url: string, { sitekey, verifyKey }: PropertyAndKey): () => void {
  return repeat(1000, async () => verify(url, verifyKey, await fetchAndSolve(url, sitekey)));
}

/** @throws if the command fails */
export function run(...command: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  if (exitCode !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
  return stdout.toString().trim();
}
