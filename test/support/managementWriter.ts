/**
 * Runs management use cases until it is killed: `bun managementWriter.ts FOLDER RUN server|command`. With `server`, writes use the
 * writer thread. Prints a line of JSON, `[table, value]`, after each change that was acknowledged.
 */
import { writeSync } from 'node:fs';
import { COMMAND_LINE } from '../../src/model/actor.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { COUNTER, COUNTS_SIZE, type Hour } from '../../src/model/statistics.ts';
import { openServices } from '../../src/server/services.ts';
import { userActor } from './actors.ts';
import { expectOk } from './server.ts';
import { AMPLE_PLAN, TEST_SERVICE_OPTIONS } from './services.ts';

const [dataDir = '', run = '', mode = ''] = process.argv.slice(2);

const services = await openServices({
  ...TEST_SERVICE_OPTIONS,
  ...AMPLE_PLAN,
  dataDir,
  onAuditFailure: (action) => acknowledge('failure', action),
  onWriterThread: mode === 'server' ? (event) => acknowledge('failure', event) : undefined,
});

function acknowledge(table: string, value: unknown): void {
  writeSync(1, `${JSON.stringify([table, value])}\n`);
}

const account = expectOk(await addUser('owner'));
const organization = expectOk(
  await services.organizations.create(COMMAND_LINE, { name: `Org ${run}`, ownerId: account.id }),
);
const organizationId = organization.id;
const property = expectOk(await addProperty('counted'));

function addUser(name: string) {
  const draft = { email: `${name}-${run}@example.com`, name: undefined, isAdmin: false, password: undefined };
  return services.users.create(COMMAND_LINE, draft);
}

function addProperty(name: string) {
  const draft = { ...DEFAULT_SETTINGS, organizationId, name: `${name} ${run}`, domain: 'example.com' };
  return services.properties.create(COMMAND_LINE, draft, true);
}

/** One function for each group of use cases; each is called again and again with a growing number. */
const GROUPS: readonly ((number: number) => Promise<void>)[] = [
  async (number) => {
    const user = expectOk(await addUser(`user${number}`));
    acknowledge('accounts', user.id);
    expectOk(await services.users.disable(COMMAND_LINE, user.id));
    acknowledge('disabled accounts', user.id);
  },
  async (number) => {
    const draft = { name: `Org ${run} ${number}`, ownerId: account.id };
    const { id } = expectOk(await services.organizations.create(COMMAND_LINE, draft));
    acknowledge('organizations', id);
    expectOk(await services.organizations.remove(COMMAND_LINE, id));
    acknowledge('deleted organizations', id);
  },
  async (number) => {
    const { id } = expectOk(await addProperty(`Shop ${number}`));
    acknowledge('properties', id);
    expectOk(await services.properties.setEnabled(COMMAND_LINE, id, false));
    acknowledge('disabled properties', id);
  },
  async () => {
    const limits = { organizationId: undefined, isReadOnly: false, expiresAt: undefined };
    const draft = { account, name: 'Key', scope: 'verify', ...limits } as const;
    const { key } = expectOk(await services.apiKeys.create(COMMAND_LINE, draft));
    acknowledge('api_keys', key.id);
    expectOk(await services.apiKeys.revoke(COMMAND_LINE, key.id));
    acknowledge('revoked api_keys', key.id);
  },
  async (number) => {
    const name = `plan-${run}-${number}`;
    expectOk(await services.plans.set(COMMAND_LINE, { name, organizations: 1, properties: 1 }));
    acknowledge('plans', name);
  },
  async () => {
    const items = [{ ...DEFAULT_SETTINGS, name: 'Later', domain: 'example.com' }];
    const order = { kind: 'create-properties', organizationId, items } as const;
    acknowledge('tasks', expectOk(await services.tasks.start(userActor(account), order)));
  },
  async () => {
    const client = { address: '192.0.2.1', browser: 'Browser' };
    const { session } = await services.authentication.sessions.start(account, client);
    acknowledge('sessions', session.id);
  },
  async (number) => {
    const counts = new Array<number>(COUNTS_SIZE).fill(0).with(COUNTER.issued, number);
    const hour = (Number(run) * 1_000_000 + number) as Hour;
    await services.stores.statistics.add([{ sitekey: property.sitekey, hour, counts }]);
    acknowledge('statistics_hourly', hour);
  },
  async () => {
    const { fingerprint } = await services.signingKeys.rotate(COMMAND_LINE);
    acknowledge('signing_keys', fingerprint.toHex());
  },
  async (number) => {
    expectOk(await services.maintenance.set(COMMAND_LINE, number % 2 === 0));
    acknowledge('maintenance', number);
  },
  async (number) => {
    const object = `export ${run} ${number}`;
    await services.audit.recordAction(COMMAND_LINE, { action: 'data-exported', object });
    acknowledge('audit', object);
  },
];

async function repeat(group: (number: number) => Promise<void>): Promise<void> {
  for (let number = 1; ; number++) await group(number);
}

await Promise.all(GROUPS.map(repeat));
