import { beforeAll, describe, expect, test } from 'bun:test';
import { createMatchRules, toRuling } from '../../../src/captcha/rules/rulings.ts';
import { systemRandom } from '../../../src/lib/ids.ts';
import { pacer } from '../../../src/lib/pacer.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import type { RuleScope } from '../../../src/model/rules/rule.ts';
import type { Session, SessionId } from '../../../src/model/session.ts';
import type { ShareLinkId } from '../../../src/model/shareLink.ts';
import { createOpaqueIds } from '../../../src/platform/opaqueId.ts';
import { createAccess } from '../../../src/platform/organizations/access.ts';
import { createTasks } from '../../../src/platform/properties/tasks.ts';
import { createRules } from '../../../src/platform/rules/rules.ts';
import { ADMIN_GUARDS, type Guard, LOADERS } from '../../../src/portal/kit/guards.ts';
import {
  asSignedIn,
  isOwn,
  organizationOf,
  type PortalDeps,
  type Visit,
} from '../../../src/portal/kit/handler.ts';
import { addOrganization, addUser, openUseCases } from '../../platform/useCases.ts';
import { expectOk } from '../../support/server.ts';

type Params = Readonly<Record<string, string>>;

function openDeps() {
  const services = openUseCases();
  const { stores } = services;
  const common = { clock: () => services.time.now, random: systemRandom };
  const access = createAccess(stores.organizations);
  const rules = createRules({
    ...common,
    store: stores.rules,
    properties: services.properties,
    engine: { match: createMatchRules(pacer), apply: toRuling },
    pacer,
    geoip: {
      find: () => ({ country: undefined, asn: undefined }),
      status: () => ({ files: [], hasCountries: false, hasAsns: false }),
      load: async () => {},
    },
    accountStore: stores.accounts,
    entryFor: services.audit.entryFor,
  });
  const tasks = createTasks({ ...common, store: stores.tasks, access });
  const ids = createOpaqueIds(new Uint8Array(32).fill(1));
  // Guards use no other dependencies.
  const deps = { ...services, access, rules, tasks, ids } as unknown as PortalDeps;
  return { services, deps, ids, rules, tasks };
}

/** A tenant with one object of each kind. */
async function addTenant({ services, ids, rules, tasks }: ReturnType<typeof openDeps>) {
  const { account, organization } = await addOrganization(services);
  const member = await addUser(services);
  expectOk(await services.members.add(INSTALLATION, organization.id, member));
  const draft = { organizationId: organization.id, name: 'Shop', domain: 'example.com' };
  const property = expectOk(await services.properties.create(INSTALLATION, draft));
  const other = expectOk(await services.properties.create(INSTALLATION, { ...draft, name: 'Blog' }));
  const addKey = async (isOrganizationOwned: boolean) => {
    const limits = { isReadOnly: false, expiresAt: undefined, scope: 'verify', name: 'Key' } as const;
    const owner = isOrganizationOwned
      ? { isOrganizationOwned, organizationId: organization.id }
      : { account, organizationId: undefined };
    return expectOk(await services.apiKeys.create(INSTALLATION, { ...limits, ...owner })).key;
  };
  const addRule = async (scope: RuleScope, name: string) => {
    const rule = { name, action: 'block', conditions: { networks: ['192.0.2.0/24'] } };
    return expectOk(await rules.add(INSTALLATION, scope, rule)).rules.at(-1)?.id ?? '';
  };
  const [key, orgKey, revoked] = [await addKey(false), await addKey(true), await addKey(false)];
  expectOk(await services.apiKeys.revoke(INSTALLATION, revoked.id));
  await addRule(property.id, 'first');
  const actor = portalActor(account, undefined);
  const order = { kind: 'create-properties', organizationId: organization.id, items: [] } as const;
  const { invitation } = expectOk(
    await services.invitations.invite(actor, organization.id, 'guest@example.com'),
  );
  return {
    account,
    member,
    organization,
    property,
    key,
    orgKey,
    names: {
      org: ids.seal('organization', organization.id),
      property: ids.seal('property', property.id),
      otherProperty: ids.seal('property', other.id),
      key: ids.seal('api-key', key.id),
      orgKey: ids.seal('api-key', orgKey.id),
      revoked: ids.seal('api-key', revoked.id),
      rule: await addRule(property.id, 'second'),
      task: expectOk(await tasks.start(actor, order)),
      member: ids.seal('account', member.id),
      owner: ids.seal('account', account.id),
      invitation: ids.seal('invitation', invitation.id),
      session: ids.seal('session', 7 as SessionId),
      link: ids.seal('share-link', 8 as ShareLinkId),
    },
  };
}

const SESSION = { id: 3 as SessionId } as Session;

function visitOf(account: Account, params: Params) {
  const visit: Visit = {
    request: new Request('http://localhost/portal'),
    address: '/portal',
    params,
    query: new URLSearchParams(),
    form: new URLSearchParams(),
    clientInfo: { address: undefined, browser: '' },
    formToken: 'token',
    notice: undefined,
    theme: 'auto',
    isInMaintenance: false,
    keyWarnings: [],
    signedIn: undefined,
    actor: undefined,
  };
  return asSignedIn(visit, { account, session: SESSION });
}

type Tenant = Awaited<ReturnType<typeof addTenant>>;

let scene: ReturnType<typeof openDeps>;
let ours: Tenant;
let theirs: Tenant;
/** A second organization of our owner. */
let second: { readonly org: string };
let admin: Account;
let systemRule: string;

beforeAll(async () => {
  scene = openDeps();
  [ours, theirs] = [await addTenant(scene), await addTenant(scene)];
  const { services, ids, rules } = scene;
  const draft = { name: 'Second', ownerId: ours.account.id };
  const { id } = expectOk(await services.organizations.create(INSTALLATION, draft));
  second = { org: ids.seal('organization', id) };
  admin = await addUser(services, true);
  const rule = { name: 'Rule', action: 'block', conditions: { networks: ['192.0.2.0/24'] } };
  systemRule = expectOk(await rules.add(INSTALLATION, 'installation', rule)).rules[0]?.id ?? '';
});

const GUARDS = Object.keys(LOADERS) as (keyof typeof LOADERS)[];

/** What a guard loads; for an error page, its status. */
async function load<Name extends Exclude<Guard, 'public'>>(guard: Name, account: Account, params: Params) {
  const loaded = await LOADERS[guard](visitOf(account, params), scene.deps);
  return loaded instanceof Response ? loaded.status : loaded;
}

/** Names of objects of which each exists. */
const named = () => ({ ...ours.names, user: ours.names.member, systemRule });

describe('a guard adds', () => {
  test('the organization, and whether the user owns it', async () => {
    const path = `/portal/orgs/${ours.names.org}`;
    for (const [account, isOwner] of [
      [ours.account, true],
      [ours.member, false],
    ] as const) {
      expect(await load('organization', account, named())).toMatchObject({
        organization: { id: ours.organization.id },
        organizationPath: path,
        isOwner,
      });
    }
    expect(await load('owner', ours.account, named())).toMatchObject({ isOwner: true });
  });

  test('the property of the organization', async () => {
    expect(await load('property', ours.member, named())).toMatchObject({
      organization: { id: ours.organization.id },
      property: { id: ours.property.id },
      propertyPath: `/portal/orgs/${ours.names.org}/properties/${ours.names.property}`,
    });
  });

  test('the rule with its list', async () => {
    expect(await load('rule', ours.member, named())).toMatchObject({
      named: { index: 1, rule: { name: 'second' }, list: { rules: [{ name: 'first' }, { name: 'second' }] } },
    });
    expect(await load('systemRule', admin, named())).toMatchObject({
      named: { index: 0, rule: { name: 'Rule' } },
    });
  });

  test('a key of the user', async () => {
    expect(await load('key', ours.account, named())).toMatchObject({
      key: { id: ours.key.id },
      keyPath: `/portal/settings/api-keys/${ours.names.key}`,
      mayManage: true,
    });
  });

  test('a key of the organization, which only its owner may manage', async () => {
    const keyPath = `/portal/orgs/${ours.names.org}/api-keys/${ours.names.orgKey}`;
    const key = { id: ours.orgKey.id };
    expect(await load('organizationKey', ours.account, named())).toMatchObject({
      key,
      keyPath,
      mayManage: true,
    });
    expect(await load('organizationKey', ours.member, named())).toMatchObject({
      key,
      keyPath,
      mayManage: false,
    });
    expect(await load('ownedKey', ours.account, named())).toMatchObject({ key, keyPath, mayManage: true });
  });

  test('a task of the user, and any task of the organization', async () => {
    const task = { id: ours.names.task };
    expect(await load('task', ours.account, named())).toMatchObject({ task });
    expect(await load('organizationTask', ours.member, named())).toMatchObject({ task });
  });

  test('a member, an invitation, a session, and a user', async () => {
    expect(await load('member', ours.account, named())).toMatchObject({
      member: { accountId: ours.member.id },
      memberPath: `/portal/orgs/${ours.names.org}/members/${ours.names.member}`,
    });
    expect(await load('invitation', ours.account, named())).toMatchObject({
      invitationId: scene.ids.open('invitation', ours.names.invitation),
    });
    expect(await load('ownSession', ours.member, named())).toMatchObject({ sessionId: 7 });
    expect(await load('user', admin, named())).toMatchObject({ user: { id: ours.member.id } });
  });

  test('nothing for pages that name no object', async () => {
    const visit = visitOf(ours.member, {});
    expect(await LOADERS.session(visit, scene.deps)).toBe(visit);
    expect(await load('admin', admin, {})).toMatchObject({ signedIn: { account: { id: admin.id } } });
  });
});

describe('a page is not found', () => {
  test.each(GUARDS.filter((guard) => !['session', 'admin'].includes(guard)))(
    'with the guard %s if its path names nothing',
    async (guard) => {
      const account = ADMIN_GUARDS.includes(guard) ? admin : ours.account;
      expect(await load(guard, account, {})).toBe(404);
      const unknown = Object.fromEntries(Object.keys(named()).map((name) => [name, 'unknown']));
      expect(await load(guard, account, unknown)).toBe(404);
    },
  );

  test.each<[string, Exclude<Guard, 'public'>, () => Params]>([
    ['of an organization of others', 'organization', () => theirs.names],
    ['of a property of others', 'property', () => theirs.names],
    [
      'of a property of others below the own organization',
      'property',
      () => ({ ...theirs.names, org: ours.names.org }),
    ],
    [
      'of a property below another organization of its owner',
      'property',
      () => ({ ...ours.names, ...second }),
    ],
    [
      'of a share link that is another kind of object',
      'shareLink',
      () => ({ ...ours.names, link: ours.names.session }),
    ],
    ['of a rule of others', 'rule', () => theirs.names],
    ['of a rule of another property', 'rule', () => ({ ...ours.names, property: ours.names.otherProperty })],
    ['of a key of others', 'key', () => theirs.names],
    ['of a revoked key', 'key', () => ({ key: ours.names.revoked })],
    ['of a key of the organization among those of the user', 'key', () => ({ key: ours.names.orgKey })],
    [
      'of a key of the user among those of the organization',
      'organizationKey',
      () => ({ ...ours.names, orgKey: ours.names.key }),
    ],
    [
      'of a key of another organization of its owner',
      'organizationKey',
      () => ({ ...ours.names, ...second }),
    ],
    [
      'of a key of an organization of others',
      'organizationKey',
      () => ({ ...ours.names, orgKey: theirs.names.orgKey }),
    ],
    ['of a task of others', 'task', () => theirs.names],
    [
      'of a task of others below the own organization',
      'organizationTask',
      () => ({ ...ours.names, task: theirs.names.task }),
    ],
    ['of a member of others', 'member', () => ({ ...ours.names, member: theirs.names.member })],
    ['of the owner among the members', 'member', () => ({ ...ours.names, member: ours.names.owner })],
    [
      'of an invitation that is another kind of object',
      'invitation',
      () => ({ ...ours.names, invitation: ours.names.member }),
    ],
    ['of a session that is another kind of object', 'ownSession', () => ({ session: ours.names.member })],
  ])('%s', async (_, guard, params) => {
    expect(await load(guard, ours.account, params())).toBe(404);
  });

  test('of a user or a rule that does not exist, for an administrator', async () => {
    const gone = scene.ids.seal('account', (2 ** 40) as Account['id']);
    expect(await load('user', admin, { user: gone })).toBe(404);
    expect(await load('systemRule', admin, { systemRule: ours.names.rule })).toBe(404);
  });
});

describe('a page is not allowed', () => {
  async function pageOf(guard: Exclude<Guard, 'public'>, account: Account): Promise<string> {
    const loaded = await LOADERS[guard](visitOf(account, named()), scene.deps);
    return loaded instanceof Response ? `${loaded.status} ${await loaded.text()}` : 'loaded';
  }

  test.each(['owner', 'member', 'invitation', 'ownedKey'] as const)(
    'for members with the guard %s',
    async (guard) => {
      const shown = await pageOf(guard, ours.member);
      expect(shown).toStartWith('403');
      expect(shown).toContain('<h1>Not allowed</h1>');
      expect(shown).toContain('owner');
      expect(await load(guard, theirs.account, named())).toBe(404);
    },
  );

  test.each(GUARDS)(
    'with the guard %s for users who are not administrators only if it is one of theirs',
    async (guard) => {
      const shown = await pageOf(guard, ours.account);
      const isAllowed = !ADMIN_GUARDS.includes(guard);
      expect(shown === 'loaded').toBe(isAllowed);
      if (isAllowed) return;
      expect(shown).toStartWith('403');
      expect(shown).toContain('<h1>Not allowed</h1>');
      expect(shown).toContain('administrators of this installation');
    },
  );
});

test('a visit of a page of an organization has the organization', async () => {
  const visit = await LOADERS.organization(visitOf(ours.account, named()), scene.deps);
  if (visit instanceof Response) throw new Error('the page is not shown');
  expect(organizationOf(visit)?.organization.id).toBe(ours.organization.id);
  expect(organizationOf(visitOf(ours.account, {}))).toBeUndefined();
});

test('only the session of a request is its own', () => {
  const visit = visitOf(ours.account, {});
  expect(isOwn(visit, { id: SESSION.id })).toBe(true);
  expect(isOwn(visit, { id: 4 as SessionId })).toBe(false);
});
