import { INSTALLATION } from '../../src/model/actor.ts';
import { DEFAULT_SETTINGS, type PropertySettings } from '../../src/model/propertyFields.ts';
import { solveNatively } from '../../src/server/nativeSolver.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';
import { createPayloadGenerator, createPuzzleGenerator } from '../bench/payloads.ts';
import { openTestServices } from '../support/services.ts';

export const PASSWORD = 'correct horse battery';
/** Payloads of argon2id puzzles, which are presented again and again. */
const ARGON2ID_PAYLOADS = 12;
const ARGON2ID_LEVEL = 152;

/** What a tenant has: a user, an organization, and API keys. */
export type Tenant = {
  readonly email: string;
  readonly verifyKey: string;
  readonly portalKey: string;
  /** The sitekey of a property with BLAKE2b puzzles. */
  readonly sitekey: string;
  /** @returns a new payload for this property */
  readonly newPayload: () => string;
  /** Payloads of an argon2id property that allows repeats. */
  readonly argon2idPayloads: readonly string[];
};

/** Creates two tenants, whose users are not administrators. @param engine uses the data folder by default */
export async function prepareTenants(dataDir: string, engine?: StorageEngine): Promise<readonly Tenant[]> {
  const tenants: Tenant[] = [];
  for (const name of ['first', 'second']) tenants.push(await prepareTenant(dataDir, name, engine));
  return tenants;
}

async function prepareTenant(dataDir: string, name: string, engine?: StorageEngine): Promise<Tenant> {
  const services = await openTestServices(dataDir, engine);
  const email = `${name}@example.com`;
  const account = expectOk(
    await services.users.create(INSTALLATION, { email, name, isAdmin: false, password: PASSWORD }),
  );
  const organization = expectOk(
    await services.organizations.create(INSTALLATION, { name, ownerId: account.id }),
  );
  const createProperty = async (title: string, settings: Partial<PropertySettings>) =>
    expectOk(
      await services.properties.create(INSTALLATION, {
        ...DEFAULT_SETTINGS,
        organizationId: organization.id,
        name: title,
        domain: 'example.com',
        validitySeconds: 172_800,
        level: 1,
        growth: 'constant',
        ...settings,
      }),
    );
  const createKey = async (scope: 'portal' | 'verify') => {
    const key = { account, name: scope, scope, isReadOnly: false, expiresAt: undefined } as const;
    return expectOk(await services.apiKeys.create(INSTALLATION, { ...key, organizationId: undefined }))
      .secret;
  };
  const plain = await createProperty('Plain', {});
  const work = { challenge: 'argon2id', level: ARGON2ID_LEVEL, allowance: 1_000_000 } as const;
  const costly = await createProperty('Costly', work);
  const [verifyKey, portalKey] = [await createKey('verify'), await createKey('portal')];
  await services.close();
  const newPuzzle = await createPuzzleGenerator(dataDir, costly, engine, 2);
  const argon2idPayloads: string[] = [];
  for (let i = 0; i < ARGON2ID_PAYLOADS; i++) {
    const solved = await solveNatively(newPuzzle());
    if (solved === undefined) throw new Error('the puzzle could not be solved');
    argon2idPayloads.push(solved.payload);
  }
  const newPayload = await createPayloadGenerator(dataDir, plain, engine);
  return { email, verifyKey, portalKey, sitekey: plain.sitekey, newPayload, argon2idPayloads };
}

function expectOk<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}
