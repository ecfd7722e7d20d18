import { INSTALLATION } from '../../src/model/actor.ts';
import { DEFAULT_SETTINGS, type PropertySettings } from '../../src/model/propertyFields.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';
import { type RepeatableKind, repeatableSettings, solveRepeatable } from '../bench/installation.ts';
import { createPayloadGenerator } from '../bench/payloads.ts';
import { openTestServices } from '../support/services.ts';

export const PASSWORD = 'correct horse battery';
/** Payloads of argon2id and of HashWX puzzles, which are presented again and again. */
const REPEATABLE_PAYLOADS = 12;

/** What a tenant has: a user, an organization, and API keys. */
export type Tenant = {
  readonly email: string;
  readonly verifyKey: string;
  readonly portalKey: string;
  /** The sitekey of a property with BLAKE2b puzzles. */
  readonly sitekey: string;
  /** @returns a new payload for this property */
  readonly newPayload: () => string;
  /** Payloads of properties that allow repeats. */
  readonly repeatable: Readonly<Record<RepeatableKind, readonly string[]>>;
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
  const costly = await createProperty('Costly', repeatableSettings('argon2id'));
  const random = await createProperty('Random', repeatableSettings('hashwx'));
  const [verifyKey, portalKey] = [await createKey('verify'), await createKey('portal')];
  await services.close();
  const repeatable = {
    argon2id: await solveRepeatable(dataDir, costly, REPEATABLE_PAYLOADS, engine),
    hashwx: await solveRepeatable(dataDir, random, REPEATABLE_PAYLOADS, engine),
  };
  const newPayload = await createPayloadGenerator(dataDir, plain, engine);
  return { email, verifyKey, portalKey, sitekey: plain.sitekey, newPayload, repeatable };
}

function expectOk<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}
