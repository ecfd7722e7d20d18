import type { Outcome } from '../../lib/outcome.ts';
import type { Account } from '../../model/account.ts';
import { INSTALLATION } from '../../model/actor.ts';
import { formatApiKey, type Scope } from '../../model/apiKey.ts';
import type { Organization } from '../../model/organization.ts';
import type { Property } from '../../model/property.ts';
import type { ApiKeys } from '../apiKeys/apiKeys.ts';
import type { Organizations } from '../organizations/organizations.ts';
import type { Properties } from '../properties/properties.ts';
import type { Users } from '../users/users.ts';

export type FirstStartDeps = {
  readonly users: Users;
  readonly organizations: Organizations;
  readonly properties: Properties;
  readonly apiKeys: ApiKeys;
  /** HMAC-SHA-256 with a secret of this installation, 32 bytes. */
  readonly derive: (purpose: string) => Uint8Array;
};

/** The settings of the first start. */
export type FirstStartOptions = {
  readonly adminEmail: string | undefined;
  readonly adminPassword: string | undefined;
  readonly portalKey: string | undefined;
  readonly verifyKey: string | undefined;
  readonly demo: boolean;
};

/** The property and the API keys of the demo. */
export type Demo = {
  readonly sitekey: string;
  readonly verifyKey: string;
  readonly portalKey: string;
};

export type FirstStart = {
  /** Undefined if no administrator is configured, or if there are other users. */
  readonly admin: Account | undefined;
  /** Undefined if no demo is configured, or if there were other users before it. */
  readonly demo: Demo | undefined;
  /** Whether API keys are configured, but there is no user to own them. */
  readonly hasOwnerlessKeys: boolean;
};

const DEMO_EMAIL = 'demo@example.com';
const DEMO_NAME = 'Demo';

/**
 * Creates the demo, the administrator, and the API keys, as configured. Each step skips objects that exist already, so the next
 * start completes a start that was killed. Existing API keys, including revoked ones, do not change.
 */
export function createFirstStart(deps: FirstStartDeps): (options: FirstStartOptions) => Promise<FirstStart> {
  /** Returns the same secret at every start, because the demo page needs it and the database has only its hash. */
  function demoKey(scope: Scope): string {
    return formatApiKey(scope, deps.derive(`demo ${scope} key`));
  }

  async function ensureKey(account: Account, name: string, scope: Scope, chosen?: string): Promise<void> {
    if (chosen === undefined) return;
    const draft = {
      account,
      name,
      scope,
      isReadOnly: false,
      expiresAt: undefined,
      organizationId: undefined,
    };
    const created = await deps.apiKeys.create(INSTALLATION, { ...draft, chosen });
    if (!created.ok && created.problem !== 'key-taken') expectDone(created);
  }

  async function ensureOrganization(account: Account): Promise<Organization> {
    const known = await deps.organizations.list(INSTALLATION, account);
    return (
      known[0] ??
      expectDone(await deps.organizations.create(INSTALLATION, { name: DEMO_NAME, ownerId: account.id }))
    );
  }

  async function ensureProperty({ id }: Organization): Promise<Property> {
    const known = await deps.properties.list(INSTALLATION, id);
    const draft = { organizationId: id, name: DEMO_NAME, domain: 'example.com', allowsLocalhost: true };
    return known[0] ?? expectDone(await deps.properties.create(INSTALLATION, draft));
  }

  async function ensureDemo(): Promise<{ account: Account; demo: Demo }> {
    const user = { email: DEMO_EMAIL, name: DEMO_NAME, isAdmin: false, password: undefined };
    const known = await deps.users.byEmail(INSTALLATION, DEMO_EMAIL);
    const account = known.ok ? known.value : expectDone(await deps.users.create(INSTALLATION, user));
    const { sitekey } = await ensureProperty(await ensureOrganization(account));
    const demo = { sitekey, verifyKey: demoKey('verify'), portalKey: demoKey('portal') };
    await ensureKey(account, 'Demo verify', 'verify', demo.verifyKey);
    await ensureKey(account, 'Demo portal', 'portal', demo.portalKey);
    return { account, demo };
  }

  async function ensureAdmin(options: FirstStartOptions, others: readonly Account[]) {
    const { adminEmail: email, adminPassword: password } = options;
    if (email === undefined) return undefined;
    const [first] = others;
    if (first !== undefined) return others.length === 1 && first.email === email ? first : undefined;
    const draft = { email, name: undefined, isAdmin: true, password };
    return expectDone(await deps.users.create(INSTALLATION, draft));
  }

  async function attemptStart(options: FirstStartOptions): Promise<FirstStart> {
    const users = await deps.users.list(INSTALLATION);
    const others = users.filter(({ email }) => email !== DEMO_EMAIL);
    const mayCreateDemo = options.demo && (users.length === 0 || others.length < users.length);
    const demo = mayCreateDemo ? await ensureDemo() : undefined;
    const admin = await ensureAdmin(options, others);
    const owner = admin ?? (others.length === 0 ? demo?.account : undefined);
    if (owner !== undefined) {
      await ensureKey(owner, 'Portal (configured)', 'portal', options.portalKey);
      await ensureKey(owner, 'Verify (configured)', 'verify', options.verifyKey);
    }
    const hasKeys = options.portalKey !== undefined || options.verifyKey !== undefined;
    const hasOwnerlessKeys = hasKeys && owner === undefined && others.length === 0;
    return { admin, demo: demo?.demo, hasOwnerlessKeys };
  }

  return async (options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptStart(options);
      } catch (error) {
        // Another process that starts on the same folder created the object first; the next attempt finds it.
        if (!(error instanceof TakenError) || attempt === 5) throw error;
      }
    }
  };
}

/** Another process created the same object at the same time. */
class TakenError extends Error {
  override readonly name = 'TakenError';
}

/** The configuration was validated before, so a rejection is a race with another process, or a bug. */
function expectDone<T, Problem extends string>(outcome: Outcome<T, Problem>): T {
  if (outcome.ok) return outcome.value;
  const reason = `the first start could not finish: ${outcome.problem}`;
  throw outcome.problem.endsWith('-taken') ? new TakenError(reason) : new Error(reason);
}
