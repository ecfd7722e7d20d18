import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Organization } from '../../../src/model/organization.ts';
import { PROBLEMS, type Problem } from '../../../src/model/problems.ts';
import { TOKEN_FIELD } from '../../../src/portal/components/form.tsx';
import { userActor } from '../../support/actors.ts';
import { api } from '../../support/platform.ts';
import { addUser, signedIn, tokenIn } from '../../support/portal.ts';
import { addKey, expectOk, startServer, type TestServer } from '../../support/server.ts';

/** The portal's forms and the Platform API reject the same requests for the same reasons. */

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
});
afterAll(() => server.stop());

/** Escapes text as the pages do. */
const escapeHtml = (text: string) => Bun.escapeHTML(text).replaceAll('&#x27;', '&#39;');

/** The owner of the organization. */
type Target = 'own' | 'shared' | 'foreign' | 'deleted' | 'no id';

type Case = {
  readonly title: string;
  readonly act: 'create' | 'rename' | 'delete';
  /** Default: `own`. */
  readonly target?: Target;
  readonly name?: string;
  /** The number of organizations that the plan allows; the user has two. */
  readonly limit?: number;
  /** Undefined if the request succeeds. */
  readonly problem?: Problem;
};

const rose = '\u{1f339}';
const NAMES: readonly (readonly [what: string, name: string, problem?: Problem])[] = [
  ['letters', 'Shop'],
  ['letters with spaces around them', '  Shop of Ann \t'],
  ['128 letters', 'x'.repeat(128)],
  ['128 roses', rose.repeat(128)],
  ['Arabic', 'متجر'],
  ['an ampersand and quotes', `Ann & "Ben's" &lt;`],
  ['a plus and a percent sign', '1+1 = 200%25'],
  ['decomposed letters', 'Cafe\u0301'],
  ['nothing', '', 'organization-name-empty'],
  ['white space', ' \t\u00a0\u3000', 'organization-name-empty'],
  ['129 letters', 'x'.repeat(129), 'organization-name-too-long'],
  ['129 roses', rose.repeat(129), 'organization-name-too-long'],
  ['NUL', 'a\0b', 'organization-name-malformed'],
  ['a line break', 'a\nb', 'organization-name-malformed'],
  ['escape', '\u001b[31mred', 'organization-name-malformed'],
  ['a tag', '<b>', 'organization-name-malformed'],
  ['a zero-width joiner', 'a\u200db', 'organization-name-malformed'],
  ['a right-to-left override', 'a\u202egnp.exe', 'organization-name-malformed'],
  ['the name of another organization of the user', 'Second', 'organization-name-taken'],
  ['the same name in another case', ' sECOND ', 'organization-name-taken'],
  ['the name of an organization of another user', 'Foreign'],
  ['the name of a deleted organization', 'Deleted'],
];

const CASES: readonly Case[] = [
  ...NAMES.flatMap(([what, name, problem]): Case[] => [
    { title: `${what}, as a name`, act: 'create', name, ...(problem && { problem }) },
    { title: `${what}, as a name`, act: 'rename', name, ...(problem && { problem }) },
  ]),
  { title: 'its own name in other case', act: 'rename', name: 'OWN' },
  { title: 'room for one more', act: 'create', name: 'Third', limit: 3 },
  { title: 'no room', act: 'create', name: 'Third', limit: 2, problem: 'organizations-limit' },
  { title: 'no room, and no name', act: 'create', name: '', limit: 2, problem: 'organization-name-empty' },
  { title: 'a full plan', act: 'rename', name: 'Third', limit: 2 },
  { title: 'what one owns', act: 'delete' },
  ...(['rename', 'delete'] as const).flatMap((act): Case[] => [
    { title: 'what one shares', act, target: 'shared', name: 'New', problem: 'organization-not-owned' },
    { title: 'of another user', act, target: 'foreign', name: 'New', problem: 'organization-not-owned' },
    { title: 'that was deleted', act, target: 'deleted', name: 'New', problem: 'organization-unknown' },
    { title: 'no id', act, target: 'no id', name: 'New', problem: 'organization-id-malformed' },
  ]),
];

/** A user with two organizations, and one organization of each other kind. */
async function openScene({ limit }: Case) {
  const { services } = server.app;
  const [person, other] = [await addUser(server), await addUser(server)];
  const make = async (owner: typeof person, name: string) =>
    expectOk(await services.organizations.create(INSTALLATION, { name: name, ownerId: owner.id }));
  const targets = {
    own: await make(person, 'Own'),
    shared: await make(other, 'Shared'),
    foreign: await make(other, 'Foreign'),
    deleted: await make(person, 'Deleted'),
  };
  await make(person, 'Second');
  expectOk(await services.members.add(INSTALLATION, targets.shared.id, person));
  const actor = userActor(person);
  expectOk(await services.organizations.remove(actor, targets.deleted.id));
  if (limit !== undefined) {
    expectOk(
      await services.plans.set(INSTALLATION, { name: `only-${limit}`, organizations: limit, properties: 10 }),
    );
    expectOk(await services.users.setPlan(INSTALLATION, person.id, `only-${limit}`));
  }
  const namesOf = async (account: typeof person) =>
    (await services.organizations.list(INSTALLATION, account)).map(({ name }) => name);
  return {
    person,
    idOf: (target: Target) =>
      target === 'no id' ? 'AAAAAAAAAAAAAAAAAAAAAA' : services.ids.seal('organization', targets[target].id),
    nameOf: (target: Target) => (target === 'no id' ? '' : (targets[target] satisfies Organization).name),
    namesOfBoth: async () => [await namesOf(person), await namesOf(other)],
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

async function askApi(scene: Scene, { act, target = 'own', name = '' }: Case) {
  const client = api(server, await addKey(server.app.services, scene.person, 'portal'));
  const id = scene.idOf(target);
  if (act === 'create') return client.post('/org', { name });
  return act === 'rename' ? client.put('/org', { id, name }) : client.delete('/org', { id });
}

async function askPortal(scene: Scene, { act, target = 'own', name = '' }: Case) {
  const browser = await signedIn(server, scene.person);
  const path = {
    create: '/portal/orgs',
    rename: `/portal/orgs/${scene.idOf(target)}/settings`,
    delete: `/portal/orgs/${scene.idOf(target)}/delete`,
  }[act];
  const fields = act === 'delete' ? { typed_name: scene.nameOf(target) } : { name };
  return browser.post(path, { ...fields, [TOKEN_FIELD]: tokenIn(await browser.get('/portal')) });
}

/** How the portal shows a problem: next to the field, or as a page if the user lacks access. */
function expectPortalRefusal(
  shown: Awaited<ReturnType<typeof askPortal>>,
  one: Case,
  problem: Problem,
): void {
  if (
    problem === 'organization-unknown' ||
    problem === 'organization-id-malformed' ||
    one.target === 'foreign'
  ) {
    expect([shown.status, shown.redirectPath]).toEqual([404, undefined]);
    return;
  }
  const sentence = escapeHtml(PROBLEMS[problem].sentence);
  expect(shown.text).toContain(sentence);
  if (problem === 'organization-not-owned') {
    expect(shown.status).toBe(403);
    return;
  }
  expect(shown.status).toBe(422);
  expect(shown.text).toContain(`<p class="error" id="name-error">${sentence}</p>`);
  expect(shown.text).toContain(`value="${escapeHtml(one.name ?? '')}" required=""`);
}

describe.each(['create', 'rename', 'delete'] as const)('the portal and the API agree: %s', (act) => {
  const cases = CASES.filter((one) => one.act === act).map((one) => [one.title, one] as const);

  test.each(cases)('%s', async (_, one) => {
    const [byApi, byPortal] = [await openScene(one), await openScene(one)];
    const before = await byApi.namesOfBoth();
    expect(await byPortal.namesOfBoth()).toEqual(before);
    const reply = await askApi(byApi, one);
    const shown = await askPortal(byPortal, one);
    const after = await byApi.namesOfBoth();
    expect(await byPortal.namesOfBoth()).toEqual(after);
    if (one.problem === undefined) {
      expect(reply.code).toBe(1000);
      expect(shown.status).toBe(303);
      expect(after).not.toEqual(before);
    } else {
      const { code, status, sentence: description } = PROBLEMS[one.problem];
      expect(reply).toMatchObject({ code, status, description, data: null });
      expectPortalRefusal(shown, one, one.problem);
      expect(after).toEqual(before);
    }
  });
});
