import { describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { type Actor, INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import { userActor } from '../../support/actors.ts';
import { expectOk } from '../../support/server.ts';
import { openUseCases, type UseCases } from '../useCases.ts';

const draft = { name: undefined, isAdmin: false, password: undefined };

async function addUsers({ users }: UseCases, ...emails: readonly string[]): Promise<Account[]> {
  const created = emails.map((email) => users.create(INSTALLATION, { ...draft, email }));
  return (await Promise.all(created)).map(expectOk);
}

/** A use case of administrators, with the audit log entry of its change. */
type Case = {
  readonly act: (services: UseCases, actor: Actor, target: Account) => Promise<{ readonly ok: boolean }>;
  readonly entry?: { readonly action: string; readonly object: string };
};

const newAdmin = { ...draft, isAdmin: true, email: 'new@example.com' };
const plan = { name: 'large', organizations: 9, properties: 99 };

const CASES: Readonly<Record<string, Case>> = {
  search: {
    act: ({ users }, actor) => users.search(actor, { text: '', offset: 0, limit: 10 }),
  },
  byId: {
    act: ({ users }, actor, { id }) => users.byId(actor, id),
  },
  create: {
    act: ({ users }, actor) => users.create(actor, newAdmin),
    entry: { action: 'user-created', object: 'new@example.com, an administrator' },
  },
  disable: {
    act: ({ users }, actor, { id }) => users.disable(actor, id),
    entry: { action: 'user-disabled', object: 'target@example.com' },
  },
  enable: {
    act: ({ users }, actor, { id }) => users.enable(actor, id),
    entry: { action: 'user-enabled', object: 'target@example.com' },
  },
  'setAdmin to true': {
    act: ({ users }, actor, { id }) => users.setAdmin(actor, id, true),
    entry: { action: 'admin-added', object: 'target@example.com' },
  },
  'setAdmin to false': {
    act: ({ users }, actor, { id }) => users.setAdmin(actor, id, false),
    entry: { action: 'admin-removed', object: 'target@example.com' },
  },
  setPlan: {
    act: ({ users }, actor, { id }) => users.setPlan(actor, id, 'default'),
    entry: { action: 'user-plan-set', object: 'target@example.com: default' },
  },
  'plans.set': {
    act: ({ plans }, actor) => plans.set(actor, plan),
    entry: { action: 'plan-set', object: 'large: 9 organizations, 99 properties' },
  },
};

describe('the use case', () => {
  test.each(Object.entries(CASES))(
    '%s is for administrators and the command line, and records an entry',
    async (_, { act, entry }) => {
      const services = openUseCases();
      const [target, other] = (await addUsers(services, 'target@example.com', 'other@example.com')) as [
        Account,
        Account,
      ];
      const entries = async () => (await services.stores.audit.page({}, undefined, 10)).toReversed();
      const before = services.raw.serialize();
      for (const actor of [portalActor(other, '192.0.2.1'), userActor(other), userActor(target)])
        expect(await act(services, actor, target)).toEqual({ ok: false, problem: 'admin-only' } as never);
      expect(services.raw.serialize().equals(before)).toBe(true);

      const admin = portalActor({ id: other.id, isAdmin: true }, '192.0.2.1');
      expect(await act(services, admin, target)).toMatchObject({ ok: true });
      const who = { actor: 'other@example.com', accountId: other.id, source: 'portal', address: '192.0.2.1' };
      expect(await entries()).toMatchObject(entry === undefined ? [] : [{ ...entry, ...who } as never]);
    },
  );

  test.each(Object.entries(CASES))('%s of the installation records no entry', async (_, { act }) => {
    const services = openUseCases();
    const [target] = (await addUsers(services, 'target@example.com')) as [Account];
    expect(await act(services, INSTALLATION, target)).toMatchObject({ ok: true });
    expect(await services.stores.audit.page({}, undefined, 10)).toEqual([]);
  });
});

describe('users', () => {
  test('are listed in pages, with whether there are more', async () => {
    const services = openUseCases();
    const all = await addUsers(services, 'a@example.com', 'b@example.com', 'c@example.com');
    const page = async (offset: number) => {
      const found = expectOk(await services.users.search(INSTALLATION, { text: ' ', offset, limit: 2 }));
      return [found.items.map(({ id }) => id), found.hasMore];
    };
    const ids = all.map(({ id }) => id);
    expect(await page(0)).toEqual([ids.slice(0, 2), true]);
    expect(await page(2)).toEqual([ids.slice(2), false]);
  });

  test('cannot have a plan that does not exist', async () => {
    const services = openUseCases();
    const [target] = (await addUsers(services, 'target@example.com')) as [Account];
    const rejected = { ok: false, problem: 'plan-unknown' } as const;
    for (const name of ['none', 'Not a name'])
      expect(await services.users.setPlan(INSTALLATION, target.id, name)).toEqual(rejected);
    expect(await services.stores.accounts.byId(target.id)).toEqual(target);
  });
});

test('plans are listed for administrators and the command line', async () => {
  const services = openUseCases();
  const [user] = (await addUsers(services, 'user@example.com')) as [Account];
  expect(await services.plans.list(portalActor(user, undefined))).toEqual([]);
  expect(await services.plans.list(INSTALLATION)).toHaveLength(2);
});
