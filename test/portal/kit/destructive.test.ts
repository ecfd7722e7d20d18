import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { sessionActor } from '../../../src/model/session.ts';
import type { Route } from '../../../src/portal/kit/route.ts';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import { codeOf } from '../../support/authenticator.ts';
import { addUser, signedIn } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { examplePath } from './examples.ts';

/** No page of the portal removes something, ends access, or affects others with one click. */

const destructive = PORTAL_ROUTES.filter(({ isDestructive }) => isDestructive);

/** Destructive routes whose form is shown only in a state that this test does not create. */
const ELSEWHERE: readonly string[] = [
  // An owner cannot leave; see the test below.
  '/portal/orgs/:org/leave',
];

let server: TestServer;
let admin: Account;

beforeAll(async () => {
  server = await startServer();
  admin = await addUser(server, true);
});
afterAll(() => server.stop());

test('every route whose name says that it removes or ends something is declared destructive', () => {
  const named = PORTAL_ROUTES.filter(
    ({ method, path }) =>
      method === 'POST' &&
      /\/(?:end|end-\w+|disable|delete|remove|revoke|rotate|withdraw|leave|transfer|un\w+-admin|reset-[\w-]+)$/.test(
        path,
      ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ isDestructive }) => !isDestructive).map(({ path }) => path)).toEqual([]);
  expect(destructive.filter(({ method }) => method !== 'POST')).toEqual([]);
});

describe('every form of every page', () => {
  test('that is destructive is inside a confirmation that names the consequence', async () => {
    const browser = await signedIn(server, admin);
    // The pages show buttons for other sessions, members, and invitations only if there are any.
    await signedIn(server, admin);
    await enableTwoFactor(browser.account);
    for (const path of [
      '/portal/orgs/:org/members/:member/remove',
      '/portal/orgs/:org/invitations/:invitation/withdraw',
      '/portal/orgs/:org/properties/:property/share/:link/revoke',
    ])
      await examplePath(path, server, admin);
    const found = new Map<string, Form>();
    const unconfirmed: string[] = [];
    for await (const path of pages()) {
      const shown = await browser.get(path);
      for (const form of formsIn(shown.text)) {
        const target = destructive.find((each) => patternOf(each).test(form.action));
        if (target === undefined) continue;
        found.set(target.path, form);
        if (!isConfirmed(form, path)) unconfirmed.push(`${path}: ${form.action}`);
      }
    }
    expect(unconfirmed).toEqual([]);
    const missing = destructive.filter(({ path }) => !found.has(path) && !ELSEWHERE.includes(path));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  test('of a member who leaves an organization is on a page of its own', async () => {
    const member = await addUser(server);
    const path = await examplePath('/portal/orgs/:org/leave', server, admin);
    const id = server.app.services.ids.open('organization', path.split('/')[3] ?? '');
    if (id === undefined) throw new Error(`no organization in ${path}`);
    expectOk(await server.app.services.members.add(INSTALLATION, id, member));
    const { text } = await (await signedIn(server, member)).get(path);
    const forms = formsIn(text).filter(({ action }) => action === path);
    expect(forms.map((form) => isConfirmed(form, path))).toEqual([true]);
  });
});

/** The administrator's account has two-factor authentication, so that pages offer to turn it off. */
async function enableTwoFactor(account: Account): Promise<void> {
  const { twoFactor } = server.app.services.authentication;
  const started = await signedIn(server, account);
  const actor = sessionActor(started, { address: undefined, browser: '' });
  await twoFactor.start(actor);
  const enrollment = await twoFactor.enrollmentOf(actor);
  expectOk(await twoFactor.confirm(actor, codeOf(enrollment?.secret ?? '', server.clock.now)));
}

/** Every page, with objects that exist when its path is returned. */
async function* pages(): AsyncGenerator<string> {
  for (const one of PORTAL_ROUTES.filter(isPage)) yield examplePath(one.path, server, admin);
  yield* await pagesInOtherStates();
}

/** Pages that have more forms in another state: of an administrator, and of keys with an old secret. */
async function pagesInOtherStates(): Promise<readonly string[]> {
  const { apiKeys, ids } = server.app.services;
  const keys = ['/portal/settings/api-keys/:key', '/portal/orgs/:org/api-keys/:orgKey'];
  const paths: string[] = [];
  for (const path of keys) paths.push(await examplePath(path, server, admin));
  for (const path of paths) {
    const id = ids.open('api-key', path.split('/').at(-1) ?? '');
    if (id === undefined) throw new Error(`no key in ${path}`);
    expectOk(await apiKeys.rotate(INSTALLATION, id, '24h'));
  }
  return [...paths, `/portal/system/users/${ids.seal('account', admin.id)}`];
}

/** GET routes that are pages: no files and no data for scripts. */
function isPage({ method, path }: Route): boolean {
  return method === 'GET' && !/\.\w+$|\/state$|\/puzzle$|\*/.test(path);
}

function patternOf({ path }: Route): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[\\w-]{16,22}')}$`);
}

type Form = {
  readonly action: string;
  isInConfirmation: boolean;
  /** Whether the consequence of the confirmation has a text. */
  hasConsequence: boolean;
  /** Whether the user must type something. */
  hasRequiredInput: boolean;
};

/** A dialog with the consequence, a form that requires an input, or a page with nothing else. */
function isConfirmed(form: Form, path: string): boolean {
  const isInDialog = form.isInConfirmation && form.hasConsequence;
  return isInDialog || form.hasRequiredInput || form.action === path;
}

function formsIn(markup: string): readonly Form[] {
  const forms: Form[] = [];
  let consequence = '';
  new HTMLRewriter()
    .on('.confirm .consequence', {
      element() {
        consequence = '';
      },
      text({ text }) {
        consequence += text;
      },
    })
    .on('main form', {
      element(element) {
        const action = element.getAttribute('action') ?? '';
        forms.push({ action, isInConfirmation: false, hasConsequence: false, hasRequiredInput: false });
      },
    })
    .on('dialog.confirm form', {
      element() {
        const form = forms.at(-1);
        if (form === undefined) return;
        form.isInConfirmation = true;
        form.hasConsequence = consequence.trim().length > 20;
      },
    })
    .on('main form input[required]', {
      element(element) {
        const form = forms.at(-1);
        if (form !== undefined && element.getAttribute('type') !== 'hidden') form.hasRequiredInput = true;
      },
    })
    .transform(markup);
  return forms;
}

test('the test finds a destructive form without a confirmation', () => {
  const [form] = formsIn(
    '<main><form method="post" action="/portal/x"><button>Delete</button></form></main>',
  );
  expect(form && isConfirmed(form, '/portal/page')).toBe(false);
  const confirmed = `<main><dialog class="confirm"><div class="consequence"><p>Everything is deleted.</p></div><form action="/portal/x"></form></dialog></main>`;
  expect(formsIn(confirmed).map((each) => isConfirmed(each, '/portal/page'))).toEqual([true]);
});
