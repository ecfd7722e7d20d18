import { INSTALLATION } from '../../src/model/actor.ts';
import type { Property } from '../../src/model/property.ts';
import { DEFAULT_SETTINGS, type PropertySettings } from '../../src/model/propertyFields.ts';
import { solveNatively } from '../../src/server/nativeSolver.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { openTestServices } from '../support/services.ts';
import { createPayloadGenerator, createPuzzleGenerator } from './payloads.ts';

/** The kinds of work of properties whose payloads can be verified again and again, because solving a puzzle takes longer than verifying. */
const REPEATABLE = {
  argon2id: { level: 152, version: 2 },
  hashwx: { level: 60, version: 3 },
} as const;

export type RepeatableKind = keyof typeof REPEATABLE;

/** The settings of a property of this kind. */
export function repeatableSettings(kind: RepeatableKind): Partial<PropertySettings> {
  return { challenge: kind, level: REPEATABLE[kind].level, growth: 'constant', allowance: 1_000_000 };
}

/** Solves puzzles of a property with `repeatableSettings`. @returns payloads of the same length */
export async function solveRepeatable(
  dataDir: string,
  property: Property,
  count: number,
  engine?: StorageEngine,
): Promise<readonly string[]> {
  const { version } = REPEATABLE[property.challenge as RepeatableKind];
  const newPuzzle = await createPuzzleGenerator(dataDir, property, engine, version);
  const payloads: string[] = [];
  while (payloads.length < count) {
    const solved = await solveNatively(newPuzzle());
    if (solved === undefined) throw new Error('the puzzle could not be solved');
    payloads.push(solved.payload);
  }
  return payloads;
}

/** Creates a property with BLAKE2b, one of each repeatable kind, and an API key. @param engine uses the data folder by default */
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
  const createProperty = async (settings: Partial<PropertySettings & { name: string }> = {}) =>
    expectOk(await services.properties.create(INSTALLATION, { ...DEFAULT_SETTINGS, ...draft, ...settings }));
  const createRepeatable = (kind: RepeatableKind) =>
    createProperty({ name: kind, ...repeatableSettings(kind) });
  const property = await createProperty();
  const repeatable = {
    argon2id: await createRepeatable('argon2id'),
    hashwx: await createRepeatable('hashwx'),
  };
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
  return {
    sitekey: property.sitekey,
    secret,
    newPayload,
    solveRepeatable: (kind: RepeatableKind, count: number) =>
      solveRepeatable(dataDir, repeatable[kind], count, engine),
  };
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
