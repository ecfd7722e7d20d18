import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { expectOk } from '../../support/server.ts';
import { openTestServices } from '../../support/services.ts';
import { alternate, type Load, measure } from '../clients/wrk.ts';
import type { Lab } from '../harness/lab.ts';
import { type Row, toRow } from '../harness/row.ts';
import { start } from '../installation.ts';
import type { Part } from './part.ts';

const WRITERS = 64;
/** Until the writers have sent their first requests. */
const LEAD_MS = 300;

/** Creates a property, and a user with a portal key and one organization per writer. */
async function prepareWriters(dataDir: string) {
  const services = await openTestServices(dataDir);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: true, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  const ids: string[] = [];
  let sitekey = '';
  for (let i = 0; i < WRITERS; i++) {
    const { id } = expectOk(
      await services.organizations.create(INSTALLATION, { name: `Organization ${i}`, ownerId: account.id }),
    );
    ids.push(services.ids.seal('organization', id));
    if (i > 0) continue;
    const draft = { organizationId: id, name: 'Bench', domain: 'example.com' };
    ({ sitekey } = expectOk(
      await services.properties.create(INSTALLATION, { ...DEFAULT_SETTINGS, ...draft }),
    ));
  }
  const key = { account, name: 'Bench', scope: 'portal', isReadOnly: false, expiresAt: undefined } as const;
  const { secret } = expectOk(
    await services.apiKeys.create(INSTALLATION, { ...key, organizationId: undefined }),
  );
  await services.close();
  return { ids, sitekey, secret };
}

/** Starts a process that renames organizations without pauses. @returns a function that stops it and returns the number of renames */
function startWriters({ defer }: Lab, url: string, ids: readonly string[], secret: string) {
  const options = JSON.stringify({ url, ids, secret });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '../clients/writers.ts'), options], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  defer(() => child.kill('SIGKILL'));
  return async (): Promise<number> => {
    child.kill('SIGTERM');
    const text = await new Response(child.stdout).text();
    return (JSON.parse(text) as { done: number }).done;
  };
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const { folder, binary, duration, defer } = lab;
  const dataDir = join(folder, 'writers');
  defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const { ids, sitekey, secret } = await prepareWriters(dataDir);
  const unlimited = { POSTERN_PORTAL_RATE: '1000000', POSTERN_PORTAL_BURST: '1000000' };
  const server = await start(binary, dataDir, unlimited);
  defer(server.kill);
  const { seconds } = duration;
  const puzzle: Load = { path: `/puzzle?sitekey=${sitekey}`, script: 'get.lua', seconds };
  let renames = 0;
  const pairs = await alternate(
    duration.windows,
    () => measure(server, puzzle),
    async () => {
      const stop = startWriters(lab, server.url, ids, secret);
      await Bun.sleep(LEAD_MS);
      const measured = await measure(server, puzzle);
      renames += await stop();
      return measured;
    },
  );
  if (renames === 0) throw new Error('the writers changed nothing');
  const finite = pairs.filter((pair) => Number.isFinite(pair.server.p99 + pair.baseline.p99));
  const rowOf = (key: 'p50' | 'p99', target?: Row['target']) =>
    toRow({
      name: `\`GET /puzzle\`, ${key} with ${WRITERS} writes in flight`,
      unit: 'ms',
      values: finite.map((pair) => pair.server[key]),
      yardstick: { name: 'no writes', values: finite.map((pair) => pair.baseline[key]) },
      ...(target && { target }),
    });
  return [rowOf('p50'), rowOf('p99', { of: 'ratio', bound: 'at most', required: 3, goal: 1.5 })];
}

export const writers: Part = {
  name: 'writers',
  title: 'Management writes',
  method:
    'wrk sends `GET /puzzle` while another process keeps 64 renames of organizations in flight through the Platform API, whose limit is raised for this part. Windows with and without renames alternate. The process that sends the renames also uses processor time.',
  limitSeconds: 180,
  needs: ['wrk'],
  run,
};
