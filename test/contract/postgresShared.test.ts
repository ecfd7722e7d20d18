import { afterAll, afterEach } from 'bun:test';
import { connect, type Database } from '../../src/storage/postgres/connect.ts';
import { createAttemptStore } from '../../src/storage/postgres/shared/attempts.ts';
import { createUsedFormStore } from '../../src/storage/postgres/shared/clusterState.ts';
import { createReset, locationOf, migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { describeAttemptStore } from './attempts.ts';
import { describeUsedFormStore } from './usedForms.ts';

type Cluster = Awaited<ReturnType<typeof createCluster>>;

let cluster: Promise<Cluster> | undefined;

/** Two nodes on one database. */
async function createCluster() {
  const server = await sharedPostgres();
  const address = await migratedDatabase();
  const nodes = [0, 1].map(() => connect(locationOf(address), { max: 8 }));
  const admin = server.connectAdmin(address);
  return {
    nodes,
    reset: await createReset(admin),
    async remove() {
      await Promise.all([admin.close(), ...nodes.map((node) => node.close())]);
      await server.dropDatabase(address);
    },
  };
}

afterEach(async () => (await cluster)?.reset());
afterAll(async () => (await cluster)?.remove());

/** Opens a store on each node. */
function onNodes<Store>(create: (database: Database) => Store) {
  return async (): Promise<readonly [Store, ...Store[]]> => {
    cluster ??= createCluster();
    const [first, ...others] = (await cluster).nodes.map(create);
    if (first === undefined) throw new Error('the cluster has no nodes');
    return [first, ...others];
  };
}

describeAttemptStore('PostgreSQL', onNodes(createAttemptStore));
describeUsedFormStore('PostgreSQL', onNodes(createUsedFormStore));
