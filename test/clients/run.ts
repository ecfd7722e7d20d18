/** `bun run clients`: runs unmodified clients for other vendors against Postern. `--help` shows the options. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildPackage, NPM_PACKAGES } from '../../build/packages.ts';
import { BenchError, type Cleanup, cleanUpWhenInterrupted, createCleanup } from '../bench/harness/cleanup.ts';
import { progress, runCommand } from '../bench/harness/command.ts';
import { installInto } from '../compare/install.ts';
import { installPackages } from '../packages.ts';
import { type Client, type GroupName, packagesOf } from './client.ts';
import { CLIENTS } from './clients.ts';
import { writeDocument } from './document.ts';
import { createNetwork, insideNetwork, networkEnvironment } from './network.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { RECORDED, type Result, type Results } from './results.ts';

const PROGRAMS = ['npm', 'node', 'openssl', 'certutil', 'unshare'];
const cleanup = createCleanup();

/** Installs the packages of all groups, and Postern's own packages. */
async function installGroups(folder: string, clients: readonly Client[], work: Cleanup): Promise<void> {
  const groups = [...new Set(clients.map(({ group }) => group))];
  for (const group of groups) await installGroup(join(folder, group), group, work);
  const debian = clients.flatMap((client) => (client.kind === 'backend' ? (client.debian ?? []) : []));
  const missing = [...new Set(debian)].filter((name) => !isInstalled(name));
  if (missing.length > 0 && !installPackages('--no-install-recommends', ...missing))
    progress(`not installed: ${missing.join(' ')}`);
}

/** A marker file names the packages that are already there. */
async function installGroup(folder: string, group: GroupName, work: Cleanup): Promise<void> {
  const packages = packagesOf(group, CLIENTS);
  const marker = Bun.file(join(folder, 'installed.json'));
  const wanted = JSON.stringify(packages);
  if (!(await marker.exists()) || (await marker.text()) !== wanted) {
    progress(`installing ${group} …`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    // Some clients declare older versions of a framework than those with which people use them.
    await installInto(folder, packages, work, ['--legacy-peer-deps']);
    await Bun.write(marker, wanted);
  }
  for (const name of NPM_PACKAGES) buildPackage(name, join(folder, 'node_modules/@postern', name));
}

function isInstalled(name: string): boolean {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a format of dpkg-query
  const { stdout } = Bun.spawnSync(['dpkg-query', '--show', '--showformat', '${Status}', name]);
  return stdout.toString().endsWith('ok installed');
}

/** Runs the clients in a process for which the vendors' hosts resolve to Postern. */
async function runClients({ clients, folder }: Options): Promise<Results> {
  const missing = PROGRAMS.filter((program) => Bun.which(program) === null);
  if (missing.length > 0) throw new BenchError(`not installed: ${missing.join(', ')}`);
  if (process.getuid?.() !== 0) throw new BenchError('the command needs root, for port 443 and /etc/hosts');
  const at = folder === undefined ? mkdtempSync(join(tmpdir(), 'postern-clients-')) : resolve(folder);
  if (folder === undefined) cleanup.defer(() => rmSync(at, { recursive: true, force: true }));
  await installGroups(at, clients, cleanup);
  rmSync(join(at, 'network'), { recursive: true, force: true });
  createNetwork(at);
  const names = clients.map(({ name }) => name);
  const inside = [process.execPath, join(import.meta.dir, 'inside.ts'), at, ...names];
  const child = Bun.spawn([...insideNetwork(at, inside)], {
    env: { ...process.env, ...networkEnvironment(at) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  cleanup.defer(() => child.kill());
  if ((await child.exited) !== 0) throw new BenchError('the clients did not run');
  return Bun.file(join(at, 'results.json')).json();
}

/** @returns the new results, and the recorded ones of clients that did not run, in the order of the table */
function merged(recorded: Results | undefined, results: Results): Results {
  const known = new Map<string, Result>();
  for (const result of [...(recorded?.clients ?? []), ...results.clients]) known.set(result.name, result);
  const clients = CLIENTS.flatMap(({ name }) => known.get(name) ?? []);
  return { ...results, clients };
}

async function readRecorded(): Promise<Results | undefined> {
  const file = Bun.file(RECORDED);
  return (await file.exists()) ? file.json() : undefined;
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    console.log(HELP);
    return 0;
  }
  cleanUpWhenInterrupted(cleanup);
  const results = options.documents ? undefined : await runClients(options);
  if (results !== undefined) {
    const working = results.clients.filter(({ reason }) => reason === undefined).length;
    console.log(`${working} of ${results.clients.length} clients work`);
  }
  if (!options.records && !options.documents) return 0;
  const recorded = await readRecorded();
  const all = results === undefined ? recorded : merged(recorded, results);
  if (all === undefined) throw new BenchError('there are no recorded results');
  await Bun.write(RECORDED, `${JSON.stringify(all, null, 1)}\n`);
  progress(`wrote ${await writeDocument(all)}`);
  return 0;
}

await runCommand(main, cleanup);
