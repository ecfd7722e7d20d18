import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { userActor } from '../../support/actors.ts';
import { emailOf } from '../../support/email.ts';
import { addUser, signedIn, tokenIn } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const services = () => server.app.services;

/** Ann owns it, Ben is a member. */
async function openTeam(name = 'Team') {
  const [ann, ben] = [await addUser(server), await addUser(server)];
  const organization = expectOk(
    await services().organizations.create(INSTALLATION, { name: name, ownerId: ann.id }),
  );
  expectOk(await services().members.add(INSTALLATION, organization.id, ben));
  const path = `/portal/orgs/${services().ids.seal('organization', organization.id)}/members`;
  const benPath = `${path}/${services().ids.seal('account', ben.id)}`;
  const asAnn = userActor(ann);
  const annBrowser = await signedIn(server, ann);
  const benBrowser = await signedIn(server, ben);
  return { ann, ben, organization, path, benPath, asAnn, annBrowser, benBrowser };
}

async function lastAct() {
  const { entries } = await services().audit.list(INSTALLATION, {}, { limit: 1 });
  return entries.map(({ actor, source, action, object }) => [actor, source, action, object])[0];
}

describe('the list of members', () => {
  test('shows roles, with the owner first; only the owner sees actions', async () => {
    const { ann, ben, path, benPath, annBrowser, benBrowser } = await openTeam();
    const { text } = await annBrowser.get(path);
    expect(text).toMatch(
      new RegExp(`\\(you\\)[\\s\\S]*${ann.email}[\\s\\S]*Owner[\\s\\S]*${ben.email}[\\s\\S]*Member`),
    );
    expect(text).toContain(`action="${benPath}/remove"`);
    expect(text).toContain('There are no open invitations.');
    const seen = await benBrowser.get(path);
    expect(seen.text).toContain(ann.email);
    expect(seen.text).not.toMatch(/\/remove"|\/transfer"|Invitations/);
  });

  test('lets the owner remove a member, who loses access immediately', async () => {
    const { ann, ben, path, benPath, annBrowser, benBrowser } = await openTeam();
    expect((await benBrowser.get(path)).status).toBe(200);
    const done = await annBrowser.fill(`${benPath}/remove`, {});
    expect(done.redirectPath).toBe(path);
    const { text } = await annBrowser.follow(done);
    expect(text).toContain(`${ben.name} is no longer a member.`);
    expect(text).not.toContain(ben.email);
    expect((await benBrowser.get(path)).status).toBe(404);
    expect((await benBrowser.get('/portal')).text).not.toContain('Team');
    expect((await annBrowser.get(`${benPath}/remove`)).status).toBe(404);
    expect(await lastAct()).toEqual([ann.email, 'portal', 'member-removed', ben.email]);
  });

  test('lets no member change another one, and the owner cannot be removed', async () => {
    const { ann, path, benBrowser, annBrowser, organization } = await openTeam();
    const cid = await addUser(server);
    expectOk(await services().members.add(INSTALLATION, organization.id, cid));
    const of = ({ id }: typeof cid) => `${path}/${services().ids.seal('account', id)}`;
    for (const act of ['remove', 'transfer']) {
      expect((await benBrowser.get(`${of(cid)}/${act}`)).status).toBe(403);
      expect((await annBrowser.get(`${of(ann)}/${act}`)).status).toBe(404);
    }
  });
});

describe('a member or an invitation of another organization of the same owner', () => {
  test('is not found under this organization, and does not change', async () => {
    const { ann, path, annBrowser, asAnn } = await openTeam();
    const other = expectOk(
      await services().organizations.create(INSTALLATION, { name: 'Other', ownerId: ann.id }),
    );
    const cid = await addUser(server);
    expectOk(await services().members.add(INSTALLATION, other.id, cid));
    const { invitation } = expectOk(await services().invitations.invite(asAnn, other.id, 'far@example.com'));
    const { ids } = services();
    const form_token = tokenIn(await annBrowser.get(path));
    const foreign = [
      `${path}/${ids.seal('account', cid.id)}/remove`,
      `${path}/${ids.seal('account', cid.id)}/transfer`,
      `${path.replace('/members', '')}/invitations/${ids.seal('invitation', invitation.id)}/withdraw`,
    ];
    const before = await server.written();
    for (const one of foreign) expect((await annBrowser.post(one, { form_token })).status).toBe(404);
    expect(await server.written()).toEqual(before);
  });
});

describe('a transfer', () => {
  test('makes the member the owner; the page explains what changes', async () => {
    const { ann, ben, benPath, path, annBrowser, benBrowser } = await openTeam();
    const { text } = await annBrowser.get(`${benPath}/transfer`);
    expect(text).toContain('You remain a member');
    expect(text).toContain('count toward the new owner’s plan');
    const done = await annBrowser.fill(`${benPath}/transfer`, {});
    expect((await annBrowser.follow(done)).text).toContain(
      `${ben.name} is now the owner of this organization.`,
    );
    expect(await lastAct()).toEqual([
      ann.email,
      'portal',
      'organization-transferred',
      `Team to ${ben.email}`,
    ]);
    expect((await benBrowser.get(`${path}/invite`)).status).toBe(200);
    expect((await annBrowser.get(`${path}/invite`)).status).toBe(403);
  });

  const OBSTACLES = [
    ['has an organization of this name', 'already owns an organization with this name'],
    ['has a full plan', 'does not allow more organizations'],
    ['has no quota for its properties', 'does not allow the properties of this organization'],
    ['is disabled', 'is disabled'],
  ] as const;

  test.each(OBSTACLES)(
    'to a user who %s is rejected, and the page shows the reason',
    async (what, sentence) => {
      const { ben, benPath, annBrowser, organization } = await openTeam();
      if (what === 'has an organization of this name')
        expectOk(await services().organizations.create(INSTALLATION, { name: 'TEAM', ownerId: ben.id }));
      if (what === 'is disabled') expectOk(await services().users.disable(INSTALLATION, ben.id));
      if (what === 'has no quota for its properties') {
        const draft = { organizationId: organization.id, name: 'Blog', domain: 'example.com' };
        expectOk(await services().properties.create(INSTALLATION, draft));
      }
      const organizations = what === 'has a full plan' ? 0 : 9;
      await services().plans.set(INSTALLATION, { name: 'tight', organizations, properties: 0 });
      expectOk(await services().users.setPlan(INSTALLATION, ben.id, 'tight'));
      const before = await server.written();
      const shown = await annBrowser.fill(`${benPath}/transfer`, {});
      expect(shown.status).toBe(422);
      expect(shown.text).toContain(sentence);
      expect(await server.written()).toEqual(before);
      expect(expectOk(await services().organizations.byId(INSTALLATION, organization.id)).ownerId).toBe(
        organization.ownerId,
      );
    },
  );
});

describe('an invitation', () => {
  test('stays valid if the page with its link is reloaded', async () => {
    const { path, annBrowser } = await openTeam();
    const { text } = await annBrowser.get(`${path}/invite`);
    const hidden = [
      ...text.matchAll(/<input type="hidden" name="(form_token|one_time_token)" value="([^"]*)"/g),
    ];
    const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
    const send = () => annBrowser.post(`${path}/invite`, { ...fields, email: 'guest@example.com' });
    const shown = await send();
    const [, token = ''] = /\/portal\/invitation#token=([\w-]{43})/.exec(shown.text) ?? [];
    const again = await send();
    expect([again.status, again.text.includes('token=')]).toEqual([422, false]);
    expectOk(await services().invitations.byToken(token));
  });

  test('shows its link once; then the list shows its expiry', async () => {
    const { ann, path, annBrowser } = await openTeam();
    const shown = await annBrowser.fill(`${path}/invite`, { email: ' Guest@Example.com ' });
    expect(shown.status).toBe(200);
    const [link = ''] = /\/portal\/invitation#token=[\w-]{43}/.exec(shown.text) ?? [];
    expect(shown.text).toContain(`data-copy="link"`);
    const token = link.split('=')[1] ?? '';
    expect(expectOk(await services().invitations.byToken(token)).invitation.email).toBe(
      emailOf('guest@example.com'),
    );
    expect(await lastAct()).toEqual([ann.email, 'portal', 'invitation-created', 'guest@example.com']);
    const { text } = await annBrowser.get(path);
    expect(text).toContain('guest@example.com');
    const end = new Date(later(server.clock.now, 7 * DAY)).toISOString();
    expect(text).toMatch(new RegExp(`datetime="${end}"[^>]*>in 7 days<`));
    expect(text).not.toContain(token);
    expect(JSON.stringify(server.logged)).not.toContain(token);
    const rows = await server.raw.query('SELECT * FROM audit');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('can be withdrawn, which invalidates its link', async () => {
    const { ann, path, annBrowser, asAnn, organization } = await openTeam();
    const invited = await services().invitations.invite(asAnn, organization.id, 'gone@example.com');
    const { invitation, token } = expectOk(invited);
    const id = services().ids.seal('invitation', invitation.id);
    const action = `${path.replace('/members', '')}/invitations/${id}/withdraw`;
    const done = await annBrowser.fill(path, {}, action);
    expect((await annBrowser.follow(done)).text).toContain(
      'The invitation for gone@example.com was withdrawn.',
    );
    expect((await services().invitations.byToken(token)).ok).toBe(false);
    expect(await lastAct()).toEqual([ann.email, 'portal', 'invitation-withdrawn', 'gone@example.com']);
  });

  test.each([
    ['no address', 'This is not a valid email address.'],
    ['BEN', 'is already a member of the organization.'],
  ])('for %s is rejected next to the field', async (given, sentence) => {
    const { ben, path, annBrowser } = await openTeam();
    const email = given === 'BEN' ? ben.email.toUpperCase() : given;
    const before = await server.written();
    const shown = await annBrowser.fill(`${path}/invite`, { email });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('id="email-error"');
    expect(shown.text).toContain(sentence);
    expect(shown.text).toContain(`value="${email}"`);
    expect(await server.written()).toEqual(before);
  });

  test('is rejected if the organization has 100 open invitations', async () => {
    const { path, annBrowser, asAnn, organization } = await openTeam();
    for (let n = 0; n < 100; n++)
      expectOk(await services().invitations.invite(asAnn, organization.id, `guest${n}@example.com`));
    const shown = await annBrowser.fill(`${path}/invite`, { email: 'more@example.com' });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('too many open invitations');
  });
});
