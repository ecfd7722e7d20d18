import type { Database } from 'bun:sqlite';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { RunningBinary } from '../../support/binary.ts';
import { createTestEngine } from '../../support/engine.ts';
import { expectOk } from '../../support/server.ts';
import { openTestServices } from '../../support/services.ts';
import { alternate, type Load, measure } from '../clients/wrk.ts';
import type { Lab } from '../harness/lab.ts';
import { memoryOf } from '../harness/memory.ts';
import { type Row, toRow } from '../harness/row.ts';
import { start } from '../installation.ts';
import type { Part } from './part.ts';

const FEW = 100;
const MANY = 1_000_000;
const QUICK_MANY = 2000;
const PER_ORGANIZATION = 100;
/** Number of random paths. */
const PATHS = 300_000;
/** Rows that are inserted before other tasks of this process get a turn. */
const CHUNK = 10_000;

type Kind = 'list' | 'detail' | 'puzzle';

const TITLES: Readonly<Record<Kind, string>> = {
  list: 'a page of 50 properties by name',
  detail: 'one property',
  puzzle: '`GET /puzzle`',
};

type Installation = {
  readonly server: RunningBinary;
  readonly key: string;
  /** Files with paths, by type of request. */
  readonly paths: Readonly<Record<Kind, string>>;
};

/** Adds properties as rows, because creating them one by one would take minutes. */
async function fill(raw: Database, owner: number, count: number): Promise<void> {
  const addOrganization = raw.query(
    'INSERT INTO organizations (id, owner_id, name, name_folded, created_at) VALUES (?, ?, ?, ?, 0)',
  );
  const organizations = raw.transaction(() => {
    for (let i = 0; i < count / PER_ORGANIZATION; i++)
      addOrganization.run(i + 1, owner, `Org ${i}`, `org ${i}`);
  });
  organizations();
  // With an old creation date, a job would search the statistics of every property for its last verification.
  const addProperty = raw.query(
    `INSERT INTO properties (id, organization_id, name, name_folded, domain, sitekey, level, growth, validity_seconds,
       allows_subdomains, allows_localhost, allowance, is_enabled, created_at)
     VALUES (?, ?, ?, ?, 'example.com', ?, 128, 'medium', 1800, 0, 0, 1, 1, ${Date.now()})`,
  );
  const properties = raw.transaction((from: number) => {
    for (let i = from; i < Math.min(from + CHUNK, count); i++) {
      const organization = Math.floor(i / PER_ORGANIZATION) + 1;
      addProperty.run(i + 1, organization, `Blog ${i}`, `blog ${i}`, sitekeyOf(i));
    }
  });
  for (let from = 0; from < count; from += CHUNK) {
    properties(from);
    await Bun.sleep(0);
  }
}

/** @returns a sitekey that looks random */
function sitekeyOf(i: number): string {
  return new Bun.CryptoHasher('md5').update(String(i)).digest('hex');
}

async function prepareProperties({ binary, folder, defer }: Lab, count: number): Promise<Installation> {
  const dataDir = join(folder, `properties${count}`);
  defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const engine = createTestEngine();
  const services = await openTestServices(dataDir, engine);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: false, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  await fill(engine.raw(), account.id, count);
  const draft = { account, name: 'Bench', scope: 'portal', isReadOnly: false, expiresAt: undefined } as const;
  const { secret: key } = expectOk(
    await services.apiKeys.create(INSTALLATION, { ...draft, organizationId: undefined }),
  );
  const organizationOf = (i: number) =>
    services.ids.seal('organization', (Math.floor(i / PER_ORGANIZATION) + 1) as OrganizationId);
  const propertyOf = (i: number) => services.ids.seal('property', (i + 1) as PropertyId);
  const write = (name: string, path: (i: number) => string) => {
    const file = join(dataDir, name);
    const lines = Array.from({ length: PATHS }, () => path(Math.floor(Math.random() * count)));
    writeFileSync(file, lines.join('\n'));
    return file;
  };
  const paths = {
    list: write('list', (i) => `/org/${organizationOf(i)}/properties?page=1&sort=name_asc&per_page=50`),
    detail: write('detail', (i) => `/org/${organizationOf(i)}/property/${propertyOf(i)}`),
    puzzle: write('puzzle', (i) => `/puzzle?sitekey=${sitekeyOf(i)}`),
  };
  await services.close();
  const unlimited = { POSTERN_PORTAL_RATE: '1000000', POSTERN_PORTAL_BURST: '1000000' };
  const server = await start(binary, dataDir, unlimited);
  defer(server.kill);
  return { server, key, paths };
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const { isQuick, windows, seconds } = lab.duration;
  const few = await prepareProperties(lab, FEW);
  const many = await prepareProperties(lab, isQuick ? QUICK_MANY : MANY);
  const load = ({ key, paths }: Installation, kind: Kind): Load => {
    const env = { PATHS: paths[kind], KEY: kind === 'puzzle' ? '' : key };
    return { path: '/', script: 'paths.lua', env, seconds };
  };
  const rows: Row[] = [];
  for (const kind of ['list', 'detail', 'puzzle'] as const) {
    const pairs = await alternate(
      windows,
      () => measure(few.server, load(few, kind)),
      () => measure(many.server, load(many, kind)),
    );
    rows.push(
      toRow({
        name: `${TITLES[kind]}, 1,000,000 properties`,
        unit: 'µs/request',
        values: pairs.map(({ server }) => server.cpu),
        yardstick: { name: '100 properties', values: pairs.map(({ baseline }) => baseline.cpu) },
        target: { of: 'ratio', bound: 'at most', required: 2, goal: 1.5 },
      }),
    );
  }
  const used = memoryOf(many.server.pid).rss;
  return [...rows, toRow({ name: 'resident memory, 1,000,000 properties', unit: 'MB', values: [used] })];
}

export const properties: Part = {
  name: 'properties',
  title: 'Many properties',
  method:
    'Two servers in alternating windows: one with 100 properties in one organization, and one with 1,000,000 in 10,000 organizations of one user. Requests are distributed evenly over all properties, which is the worst case for caches. The figures are the processor time of the server per request.',
  limitSeconds: 300,
  needs: ['wrk'],
  run,
};
