/**
 * Creates the fixture of the current version: `bun test/storage/releases/create.ts`. Takes up to two minutes, because it waits for
 * background jobs. Run it before a release, and again if a later commit of that release changes what the databases contain. Never
 * change the fixture of a released version.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../../src/version.ts';
import { startServer } from '../../support/server.ts';
import { readContent } from './content.ts';
import { fixtureOf, hashMigrations, pack, requireRows, unpack, writeSnapshot } from './fixtures.ts';
import { CONTINUED_AT, createInstallation } from './installation.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-release-'));
const fixture = fixtureOf(version);
const [original, copy] = [join(folder, 'original'), join(folder, 'copy')];

const known = await createInstallation(original);
requireRows(original);
pack(original, fixture);
unpack(fixture, copy);
const server = await startServer({
  dataDir: copy,
  now: CONTINUED_AT,
  settings: { POSTERN_DNS_CHECK: 'off' },
});
writeSnapshot(fixture, { known, content: await readContent(server, known) });
await server.stop();
writeFileSync(join(fixture, 'migrations.sha256'), hashMigrations());
rmSync(folder, { recursive: true });
process.stdout.write(`created ${fixture}\n`);
process.exit(0);
