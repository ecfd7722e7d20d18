/** Runs clients in a process for which the vendors' hosts resolve to Postern: `inside.ts FOLDER NAME...`. @see run.ts */

import { join } from 'node:path';
import { version as posternVersion } from '../../src/version.ts';
import { currentCommit, describeMachine } from '../bench/harness/machine.ts';
import { runApplication } from './applications.ts';
import { runBackend } from './backends.ts';
import { type Client, expectRoute } from './client.ts';
import { CLIENTS } from './clients.ts';
import { startProxy, type VendorProxy } from './network.ts';
import { runPage } from './pages.ts';
import { type Postern, startPostern } from './postern.ts';
import type { Result, Results } from './results.ts';

const [folder = '', ...names] = process.argv.slice(2);

/** @returns the version that is installed */
function versionOf(client: Client): string {
  if (client.vendor === 'Postern') return posternVersion;
  const debian = client.kind === 'backend' ? client.debian?.[0] : undefined;
  if (debian === undefined) return Object.values(client.packages)[0] ?? '';
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a format of dpkg-query
  const { stdout } = Bun.spawnSync(['dpkg-query', '--show', '--showformat', '${Version}', debian]);
  return stdout.toString();
}

async function runClient(client: Client, postern: Postern, proxy: VendorProxy): Promise<void> {
  if (client.kind === 'page') await runPage(client, folder, postern);
  else {
    const before = proxy.vendorRequests();
    if (client.kind === 'backend') await runBackend(client, folder, postern);
    else await runApplication(client, folder, postern);
    expectRoute(client, proxy.vendorRequests() > before);
  }
}

/** @returns the reason why the client does not work, in one line; undefined if it works */
async function reasonOf(client: Client, postern: Postern, proxy: VendorProxy): Promise<string | undefined> {
  try {
    await runClient(client, postern, proxy);
    return undefined;
  } catch (cause) {
    const all = cause instanceof AggregateError ? cause.errors : [cause];
    const texts = all.map((error) => (error instanceof Error ? error.message : String(error)));
    return texts.join('; ').replaceAll(/\s+/g, ' ');
  }
}

const commit = currentCommit();
const postern = await startPostern();
const proxy = startProxy(folder, postern.url);
const testedOn = new Date().toISOString().slice(0, 10);
const clients: Result[] = [];
for (const client of CLIENTS.filter(({ name }) => names.includes(name))) {
  const reason = await reasonOf(client, postern, proxy);
  process.stderr.write(`${reason === undefined ? 'works' : 'FAILS'}  ${client.name}  ${reason ?? ''}\n`);
  const { name, vendor, kind, route, configuration } = client;
  const shown = reason === undefined ? {} : { reason: client.limit ?? reason };
  const version = versionOf(client);
  clients.push({ name, version, vendor, kind, route, configuration, testedOn, ...shown });
}
const { versions } = describeMachine();
const results: Results = { format: 1, commit, versions, clients };
await Bun.write(join(folder, 'results.json'), JSON.stringify(results));
await proxy.stop();
await postern.stop();
// The browser would keep the process running.
process.exit(0);
