import { type DatabaseAddress, type PostgresServer, startPostgres } from './postgres.ts';

let shared: Promise<PostgresServer> | undefined;

/** @returns the server that all tests of this process share; it starts on the first call. Tests must not stop or configure it */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

/** Creates an empty database on the shared server. @see PostgresServer.dropDatabase */
export async function emptyDatabase(): Promise<DatabaseAddress> {
  return (await sharedPostgres()).createDatabase();
}
