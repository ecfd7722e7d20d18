import { afterAll, afterEach } from 'bun:test';
import type { Quotas } from '../../src/model/plan.ts';
import { connect } from '../../src/storage/postgres/connect.ts';
import { createStores } from '../../src/storage/postgres/createStores.ts';
import { rawPostgres } from '../support/rawDatabase.ts';
import { createReset, locationOf, migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { describeAccountStore } from './accounts.ts';
import { describeApiKeyStore } from './apiKeys.ts';
import { describeAuditStore } from './audit.ts';
import { describeAuditEntries } from './auditEntries.ts';
import { describeCredentialStore } from './credentials.ts';
import { describeExportStore } from './exports.ts';
import { describeInstallationStore } from './installation.ts';
import { describeInvitationStore } from './invitations.ts';
import { describeOrganizationStore } from './organizations.ts';
import { describePlanStore } from './plans.ts';
import { describePropertyStore } from './properties.ts';
import { describeSessionStore } from './sessions.ts';
import { describeSigningKeyStore } from './signingKeys.ts';
import { describeTaskStore } from './tasks.ts';
import { describeTwoFactorStore } from './twoFactor.ts';
import { AMPLE, type World } from './world.ts';

type Place = Awaited<ReturnType<typeof createPlace>>;

const idle: Place[] = [];
const used: Place[] = [];

afterEach(async () => {
  for (const place of used.splice(0)) {
    await place.reset();
    idle.push(place);
  }
});

afterAll(async () => {
  for (const place of idle.splice(0)) await place.remove();
});

/** A database that several tests use, one after another. */
async function createPlace() {
  const server = await sharedPostgres();
  const address = await migratedDatabase();
  const database = connect(locationOf(address), { max: 4 });
  const admin = server.connectAdmin(address, { bigint: true });
  return {
    database,
    raw: rawPostgres(admin),
    reset: await createReset(admin),
    async remove() {
      await admin.close();
      await database.close();
      await server.dropDatabase(address);
    },
  };
}

async function open(quotas: Quotas = AMPLE): Promise<World> {
  const place = idle.pop() ?? (await createPlace());
  used.push(place);
  return createStores(place.database, quotas);
}

describeAccountStore('PostgreSQL', open);
describeApiKeyStore('PostgreSQL', open);
describeAuditStore('PostgreSQL', open);
describeAuditEntries('PostgreSQL', open);
describeCredentialStore('PostgreSQL', open);
describeExportStore('PostgreSQL', open);
describeInstallationStore('PostgreSQL', open);
describeInvitationStore('PostgreSQL', open);
describeOrganizationStore('PostgreSQL', open);
describePlanStore('PostgreSQL', open);
describePropertyStore('PostgreSQL', open);
describeSessionStore('PostgreSQL', open);
describeSigningKeyStore('PostgreSQL', open);
describeTaskStore('PostgreSQL', open, true);
describeTwoFactorStore('PostgreSQL', open);
