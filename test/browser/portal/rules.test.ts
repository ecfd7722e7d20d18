import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { examplePath } from '../../portal/kit/examples.ts';
import { addUser } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

let server: TestServer;
let user: PortalUser;

beforeAll(async () => {
  server = await startServer();
  user = await openPortalUser(server.url.replace('127.0.0.1', 'localhost'));
});
afterAll(async () => {
  user.tab.close();
  await server.stop();
});

/** Presses a key as a user does. */
async function pressKey(key: string): Promise<void> {
  await user.tab.cdp('Input.dispatchKeyEvent', { type: 'keyDown', key, code: key, ...KEYS[key] });
  await user.tab.cdp('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, ...KEYS[key] });
}

const KEYS: Readonly<Record<string, object>> = {
  Enter: { windowsVirtualKeyCode: 13, text: '\r' },
};

const focus = (selector: string) => user.tab.evaluate(`document.querySelector('${selector}').focus()`);

test('an administrator creates, tests, moves, and deletes rules of a property and of the installation', async () => {
  const admin = await addUser(server, true);
  const property = await examplePath('/portal/orgs/:org/properties/:property', server, admin);
  await user.signIn(admin.email);
  for (const [path, name] of [
    [`${property}/rules`, 'property rules'],
    ['/portal/system/rules', 'system rules'],
  ] as const) {
    await user.go(path);
    await user.expectGood(`${name}, empty`);
    await user.press(' Create rule');
    await user.isAt('Create rule');
    await user.expectGood(`${name}, new`);
    // Each action shows its own level.
    for (const [action, seen] of [
      ['adjust', ['levels']],
      ['set', ['level']],
      ['block', []],
    ] as const) {
      await user.tab.click(`document.querySelector('[name=action][value=${action}]')`);
      expect(await user.shownOf('levels', 'level')).toEqual([...seen]);
    }
    await user.type('name', 'Attacking network');
    await user.type('networks', '198.51.100.0/24 here');
    await user.press('Create rule');
    await user.isOn('.error-summary');
    expect(await user.textOf('.error-summary')).toContain('Line 1, character 17');
    await user.expectGood(`${name}, error`);
    await user.type('networks', '198.51.100.0/24\n203.0.113.0/24');
    await user.press('Create rule');
    await user.isAt('Rules');
    const rule = { name: 'Second', action: 'adjust', levels: 8, conditions: { user_agents: ['*curl*'] } };
    const id = server.app.services.ids.open('property', property.split('/').at(-1) ?? '');
    const scope = path.startsWith('/portal/system') ? 'installation' : id;
    if (scope === undefined) throw new Error('no property');
    expectOk(await server.app.services.rules.add(INSTALLATION, scope, rule));
    await user.go(path);
    await user.expectGood(`${name}, list`);
    // With the keyboard only.
    await focus('tr:nth-child(2) button[name=up]');
    await pressKey('Enter');
    await user.tab.until("document.querySelector('.notice')?.textContent.includes('is now number 1')");
    await user.go(`${path}/test`);
    await user.type('address', '203.0.113.9');
    await user.press('Test request');
    expect(await user.textOf('.rule-result')).toContain('is only counted');
    await user.expectGood(`${name}, tested`);
    await user.go(`${path}/json`);
    await user.expectGood(`${name}, JSON`);
    await user.go(path);
    await user.press('Attacking network');
    await user.expectGood(`${name}, rule`);
    await user.confirm('Delete rule', `${name}, deletion`);
    expect(await user.textOf('main')).not.toContain('198.51.100.0/24');
  }
});
