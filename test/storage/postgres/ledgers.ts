import { parseDatabaseUrl } from '../../../src/model/databaseUrl.ts';
import { connect, type DatabaseLocation } from '../../../src/storage/postgres/connect.ts';
import { openLedger, type PostgresLedgerOptions } from '../../../src/storage/postgres/ledger/ledger.ts';
import { createOpenConnection } from '../../../src/storage/postgres/ledger/openConnection.ts';
import { migrate } from '../../../src/storage/postgres/migrate.ts';
import { createServers } from '../../../src/storage/postgres/servers.ts';
import type { Durability, ServerLedger } from '../../../src/storage/storage.ts';
import type { DatabaseAddress, PostgresServer } from '../../support/postgres.ts';

export type LedgerDatabase = {
  readonly address: DatabaseAddress;
  /** Each ledger corresponds to a node. */
  readonly open: (
    options?: Partial<PostgresLedgerOptions> & { readonly url?: string },
  ) => Promise<ServerLedger>;
};

/** Creates a database with the newest schema, in which ledgers can be opened. */
export async function createLedgerDatabase(
  server: Pick<PostgresServer, 'createDatabase'>,
): Promise<LedgerDatabase> {
  const address = await server.createDatabase();
  const database = connect(locationOf(address.url), { max: 1 });
  await migrate(database);
  await database.close();
  return {
    address,
    open({ url = address.url, durability = 'full', ...rest } = {}) {
      return openLedger({ open: opener(url, durability), durability, ...rest });
    },
  };
}

export function opener(url: string, durability: Durability) {
  return createOpenConnection(createServers(locationOf(url)), durability);
}

export function locationOf(text: string): DatabaseLocation {
  const url = parseDatabaseUrl(text);
  if (url === undefined) throw new Error(`not a URL of a database: ${text}`);
  return { url };
}
