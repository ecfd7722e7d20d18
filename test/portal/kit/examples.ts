import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { RuleScope } from '../../../src/model/rules/rule.ts';
import type { ShareLinkId } from '../../../src/model/shareLink.ts';
import { userActor } from '../../support/actors.ts';
import { beginSession } from '../../support/portal.ts';
import { expectOk, type TestServer } from '../../support/server.ts';

type Example = (server: TestServer, owner: Account) => Promise<string>;

/**
 * Replacements for each `:name` in the paths of the route table: objects that only the owner can access. A route with a
 * new name in its path needs a row here, or routes.test.ts fails.
 */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  async session(server, owner) {
    const { session } = await beginSession(server, owner);
    return server.app.services.ids.seal('session', session.id);
  },
  async org(server, owner) {
    return server.app.services.ids.seal('organization', (await organizationOf(server, owner)).id);
  },
  async key(server, owner) {
    const { services } = server.app;
    const limits = { organizationId: undefined, isReadOnly: false, expiresAt: undefined };
    const draft = { account: owner, name: 'Example', scope: 'verify', ...limits } as const;
    return services.ids.seal('api-key', expectOk(await services.apiKeys.create(INSTALLATION, draft)).key.id);
  },
  /** Of the organization of `:org`. */
  async orgKey(server, owner) {
    const { services } = server.app;
    const { id: organizationId } = await organizationOf(server, owner);
    const limits = { organizationId, isReadOnly: false, expiresAt: undefined };
    const draft = { isOrganizationOwned: true, name: 'Example', scope: 'verify', ...limits } as const;
    return services.ids.seal('api-key', expectOk(await services.apiKeys.create(INSTALLATION, draft)).key.id);
  },
  /** Administrators see every user. A new one each time, because routes change or disable the user. */
  async user(server) {
    const { users, ids } = server.app.services;
    const draft = { name: 'Example', isAdmin: false, password: undefined };
    const email = `${crypto.randomUUID()}@example.com`;
    return ids.seal('account', expectOk(await users.create(INSTALLATION, { ...draft, email })).id);
  },
  /** In the organization of `:org`. */
  async task(server, owner) {
    const { tasks } = server.app.services;
    const actor = userActor(owner);
    const { id: property } = await propertyOf(server, owner);
    const order = { kind: 'update-properties', items: [{ id: property, change: {} }] } as const;
    const id = expectOk(await tasks.start(actor, order));
    // Waits until the task has finished, because finishing it writes to the database.
    for (let isFinished = false; !isFinished; await new Promise(setImmediate)) {
      isFinished = expectOk(await tasks.byId(actor, id)).finishedAt !== undefined;
    }
    return id;
  },
  /** In the organization of `:org`. */
  async property(server, owner) {
    return server.app.services.ids.seal('property', (await propertyOf(server, owner)).id);
  },
  /** Of the property of `:property`. */
  async rule(server, owner) {
    return ruleOf(server, (await propertyOf(server, owner)).id);
  },
  async systemRule(server) {
    return ruleOf(server, 'installation');
  },
  /** In the organization of `:org`. */
  async member(server, owner) {
    const { services } = server.app;
    const { id } = await organizationOf(server, owner);
    const [known] = (await services.users.list(INSTALLATION)).filter(
      ({ email }) => email === 'member@example.com',
    );
    const draft = { email: 'member@example.com', name: 'Mem', isAdmin: false, password: undefined };
    const member = known ?? expectOk(await services.users.create(INSTALLATION, draft));
    expectOk(await services.members.add(INSTALLATION, id, member));
    return services.ids.seal('account', member.id);
  },
  /** In the organization of `:org`. */
  async invitation(server, owner) {
    const { services } = server.app;
    const actor = userActor(owner);
    const { id } = await organizationOf(server, owner);
    const { invitation } = expectOk(await services.invitations.invite(actor, id, 'guest@example.com'));
    return services.ids.seal('invitation', invitation.id);
  },
  /** Of the property of `:property`. */
  async link(server, owner) {
    await shareLinkOf(server, owner);
    const { shareLinks, ids } = server.app.services;
    const links = expectOk(await shareLinks.list(userActor(owner), (await propertyOf(server, owner)).id));
    return ids.seal('share-link', links.at(-1)?.id ?? (0 as ShareLinkId));
  },
  /** Of a share link. */
  token: shareLinkOf,
};

/** @returns the token of a new share link, which replaces the earlier ones because their number is limited */
async function shareLinkOf(server: TestServer, owner: Account): Promise<string> {
  const { shareLinks } = server.app.services;
  const [actor, { id }] = [userActor(owner), await propertyOf(server, owner)];
  for (const link of expectOk(await shareLinks.list(actor, id))) await shareLinks.revoke(actor, id, link.id);
  return expectOk(await shareLinks.create(actor, id, 30));
}

async function propertyOf(server: TestServer, owner: Account) {
  const { services } = server.app;
  const { id } = await organizationOf(server, owner);
  const [known] = await services.stores.properties.list(id);
  const draft = { organizationId: id, name: 'Example', domain: 'example.com', allowsLocalhost: true };
  return known ?? expectOk(await services.properties.create(INSTALLATION, draft));
}

/** A rule that changes nothing, because it is a dry run. */
async function ruleOf({ app }: TestServer, scope: RuleScope): Promise<string> {
  const { rules } = app.services;
  const [known] = expectOk(await rules.list(INSTALLATION, scope)).rules;
  if (known !== undefined) return known.id;
  const conditions = { networks: ['192.0.2.0/24'], countries: ['DE'], user_agents: ['*curl*'] };
  const rule = { name: 'Example', dry_run: true, action: 'block', conditions };
  return expectOk(await rules.add(INSTALLATION, scope, rule)).rules[0]?.id ?? '';
}

async function organizationOf({ app }: TestServer, owner: Account) {
  const reached = await app.services.organizations.list(INSTALLATION, owner);
  const known = reached.find(({ ownerId }) => ownerId === owner.id);
  return (
    known ??
    expectOk(await app.services.organizations.create(INSTALLATION, { name: 'Example', ownerId: owner.id }))
  );
}

/** @returns a route's path with an example for each name */
export async function examplePath(path: string, server: TestServer, owner: Account): Promise<string> {
  let filled = path;
  for (const [whole, name = ''] of path.matchAll(/:(\w+)/g)) {
    const example = EXAMPLES[name];
    if (example === undefined) throw new Error(`no example for ${whole} in test/portal/kit/examples.ts`);
    filled = filled.replace(whole, await example(server, owner));
  }
  return filled;
}
