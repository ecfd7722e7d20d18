import { describe, expect, test } from 'bun:test';
import { HOUR, later, MINUTE, toIso } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { addProperty, addPropertyOwner, propertyPath } from '../../support/propertyOwner.ts';
import { expectOk } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';

const server = useServer();

const BADGE = '<span class="badge bad">Under attack</span>';

describe('attack mode', () => {
  test('of a property is started and ended by one click, and shown on its pages and in the lists', async () => {
    const owner = await addPropertyOwner(server);
    const property = await addProperty(server, owner);
    const path = propertyPath(server, owner, property);
    const { browser } = owner;
    for (const list of ['/portal', owner.path]) expect((await browser.get(list)).text).not.toContain(BADGE);
    const started = await browser.follow(await browser.fill(path, {}, `${path}/attack/on`));
    expect(started.text).toContain('Attack mode is on for one hour.');
    const end = toIso(later(server.clock.now, HOUR));
    for (const page of ['', '/rules', '/settings']) {
      const { text } = await browser.get(`${path}${page}`);
      expect(text).toContain(`<time datetime="${end}">`);
      expect(text).toContain(`<b class="countdown" data-until="${end}" aria-hidden="true" hidden=""></b>`);
    }
    for (const list of ['/portal', owner.path, '/portal/search?q=Shop'])
      expect((await browser.get(list)).text).toContain(BADGE);
    expect((await browser.get(path)).text).not.toContain(`${path}/attack/on`);
    const ended = await browser.follow(await browser.fill(path, {}, `${path}/attack/off`));
    expect(ended.text).toContain('Attack mode has ended.');
    expect(ended.text).toContain(`${path}/attack/on`);
    expect((await browser.get(owner.path)).text).not.toContain(BADGE);
    const { text: log } = await browser.get('/portal/activity');
    expect(log).toContain('started attack mode for the property');
    expect(log).toContain('ended attack mode for the property');
  });

  test.each([
    ['blake2b', 1],
    ['argon2id', 1],
    ['hashwx', 0],
  ] as const)('of a property with %s links to HashWX %i times', async (challenge, links) => {
    const owner = await addPropertyOwner(server);
    const path = propertyPath(server, owner, await addProperty(server, owner, { challenge }));
    const linksIn = (text: string) => text.split(`${path}/settings#challenge"`).length - 1;
    expect(linksIn((await owner.browser.get(path)).text)).toBe(0);
    await owner.browser.fill(path, {}, `${path}/attack/on`);
    expect(linksIn((await owner.browser.get(path)).text)).toBe(links);
    expect((await owner.browser.get(`${path}/settings`)).text).toContain('id="challenge"');
  });

  test('is over after an hour', async () => {
    const owner = await addPropertyOwner(server);
    const path = propertyPath(server, owner, await addProperty(server, owner));
    await owner.browser.fill(path, {}, `${path}/attack/on`);
    server.clock.now = later(server.clock.now, HOUR - MINUTE);
    expect((await owner.browser.get(path)).text).toContain('countdown');
    server.clock.now = later(server.clock.now, MINUTE);
    expect((await owner.browser.get(path)).text).not.toContain('countdown');
    expect((await owner.browser.get(owner.path)).text).not.toContain(BADGE);
  });

  test('of an organization is shown for all of its properties, and only the owner can change it', async () => {
    const owner = await addPropertyOwner(server);
    const path = propertyPath(server, owner, await addProperty(server, owner));
    const member = await addUser(server);
    expectOk(await server.app.services.members.add(INSTALLATION, owner.organization.id, member));
    const other = await signedIn(server, member);
    expect((await other.get(owner.path)).text).not.toContain('/attack/on');
    await owner.browser.fill(owner.path, {}, `${owner.path}/attack/on`);
    for (const list of ['/portal', '/portal/orgs', owner.path])
      expect((await other.get(list)).text).toContain(BADGE);
    const shown = await other.get(path);
    expect(shown.text).toContain('Attack mode of the organization is on');
    expect(shown.text).not.toContain('/attack/off');
    const { text: members } = await other.get(`${owner.path}/members`);
    expect(members).toContain('for all properties of this organization');
    expect(members).not.toContain('/attack/off');
    await owner.browser.fill(owner.path, {}, `${owner.path}/attack/off`);
    expect((await other.get(path)).text).not.toContain('Attack mode of the organization is on');
  });
});
