import { INSTALLATION } from '../../src/model/actor.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { solveNatively } from '../../src/server/nativeSolver.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { openTestServices } from '../support/services.ts';
import { createPayloadGenerator, createPuzzleGenerator } from './payloads.ts';

/** Creates a property and an API key. @param engine uses the data folder by default */
export async function prepare(dataDir: string, engine?: StorageEngine) {
  const services = await openTestServices(dataDir, engine);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: false, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  const organization = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Bench', ownerId: account.id }),
  );
  const draft = {
    organizationId: organization.id,
    name: 'Bench',
    domain: 'example.com',
    validitySeconds: 7200,
  };
  const property = expectOk(
    await services.properties.create(INSTALLATION, { ...DEFAULT_SETTINGS, ...draft }),
  );
  const key = { account, name: 'Bench', scope: 'verify', isReadOnly: false, expiresAt: undefined } as const;
  const { secret } = expectOk(
    await services.apiKeys.create(INSTALLATION, { ...key, organizationId: undefined }),
  );
  await services.close();
  // Level 1, so that solving half a million puzzles takes seconds. Verifying takes the same time at every level.
  const newPayload = await createPayloadGenerator(
    dataDir,
    { ...property, level: 1, growth: 'constant' },
    engine,
  );
  return { organizationId: organization.id, sitekey: property.sitekey, secret, newPayload };
}

/** Like `prepare`, with a second property for argon2id, whose solutions can be verified again and again. */
export async function prepareArgon2id(dataDir: string) {
  const { organizationId, secret, newPayload } = await prepare(dataDir);
  const services = await openTestServices(dataDir);
  const draft = { organizationId, name: 'argon2id', domain: 'example.com', validitySeconds: 7200 };
  const work = { challenge: 'argon2id', level: 152, growth: 'constant', allowance: 1_000_000 } as const;
  const property = expectOk(
    await services.properties.create(INSTALLATION, { ...DEFAULT_SETTINGS, ...draft, ...work }),
  );
  await services.close();
  const newPuzzle = await createPuzzleGenerator(dataDir, property, undefined, 2);
  const newArgon2idPayload = async () => {
    const solved = await solveNatively(newPuzzle());
    if (solved === undefined) throw new Error('the puzzle could not be solved');
    return solved.payload;
  };
  return { secret, newBlake2bPayload: newPayload, newArgon2idPayload };
}

/** Starts the server with high rate limits; all other settings have their defaults. */
export function start(
  binary: string | readonly string[],
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningBinary> {
  return startBinary(binary, {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_PUZZLE_RATE: '10000000',
    POSTERN_PUZZLE_BURST: '100000000',
    POSTERN_VERIFY_RATE: '10000000',
    POSTERN_VERIFY_BURST: '100000000',
    ...settings,
  });
}

function expectOk<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}
