import { parseDatabaseUrl } from '../../src/model/databaseUrl.ts';
import { connect } from '../../src/storage/postgres/connect.ts';
import { createJobLocks } from '../../src/storage/postgres/shared/jobLocks.ts';

/** A process that takes the lock of a job, prints a line, and never ends. Arguments: the URL of the database, and the name of the job. */
const [address = '', name = ''] = process.argv.slice(2);
const url = parseDatabaseUrl(address);
if (url === undefined) throw new Error('the URL is invalid');
await createJobLocks(() => connect({ url }, { max: 1 })).exclusively(name, async () => {
  process.stdout.write('locked\n');
  await new Promise(() => setInterval(() => {}, 1000));
});
