import { createLedgerDatabase } from '../storage/postgres/ledgers.ts';
import { sharedPostgres } from '../support/sharedPostgres.ts';
import { describeLedgerClients } from './ledgerClients.ts';
import { describeRepeatedClaims } from './repeatedClaims.ts';
import { describeReplayLedger, type OpenLedger } from './replayLedger.ts';

const placeWith =
  (durability: 'full' | 'normal'): OpenLedger =>
  () => {
    const database = sharedPostgres().then(createLedgerDatabase);
    return { open: async () => (await database).open({ durability }) };
  };

describeReplayLedger('PostgreSQL, durable', placeWith('full'));
describeReplayLedger('PostgreSQL, normal', placeWith('normal'));
describeRepeatedClaims('PostgreSQL', placeWith('full'));

describeLedgerClients('PostgreSQL', () => {
  const database = sharedPostgres().then(createLedgerDatabase);
  return { open: async (options) => (await database).open({ durability: 'full', ...options }) };
});
