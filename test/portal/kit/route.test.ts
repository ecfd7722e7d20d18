import { describe, expect, test } from 'bun:test';
import type { PortalDeps, SignedInVisit } from '../../../src/portal/kit/handler.ts';
import {
  ALWAYS,
  BACKGROUND,
  DESTRUCTIVE,
  ENROLLMENT,
  NOT_HELD,
  publicRoute,
  route,
  SENSITIVE,
  sharedRoute,
  WITH_FILE,
} from '../../../src/portal/kit/route.ts';

const page = () => new Response();
const VISIT = {
  request: new Request('http://localhost/portal'),
  address: '/portal',
  query: new URLSearchParams(),
  keyWarnings: [],
  theme: 'auto',
};

test('a route needs a guard that loads all objects that its path names', () => {
  const routes = [
    route('GET', '/portal/tasks', 'session', page),
    route('GET', '/portal/orgs/:org', 'organization', page),
    route('GET', '/portal/orgs/:org/properties/:property', 'property', page),
    publicRoute('GET', '/portal/login', page),
    // @ts-expect-error the guard does not load the organization
    route('GET', '/portal/orgs/:org', 'session', page),
    // @ts-expect-error the guard does not load the property
    route('GET', '/portal/orgs/:org/properties/:property', 'owner', page),
    // @ts-expect-error the path names no organization
    route('GET', '/portal/tasks', 'organization', page),
    // @ts-expect-error no guard loads such an object
    route('GET', '/portal/things/:thing', 'session', page),
    // @ts-expect-error a public page cannot name an object
    publicRoute('GET', '/portal/orgs/:org', page),
  ];
  // The type checker finds these mistakes; at run time they are ordinary rows.
  expect(routes.map(({ guard }) => guard).slice(0, 4)).toEqual([
    'session',
    'organization',
    'property',
    'public',
  ]);
});

test('a page receives the objects that its guard loads', () => {
  route('GET', '/portal/orgs/:org', 'owner', ({ organization }) => new Response(organization.name));
  route('GET', '/portal/tasks/:task', 'task', ({ task }) => new Response(task.id));
  // @ts-expect-error the guard loads no property
  route('GET', '/portal/orgs/:org', 'owner', ({ property }) => new Response(property.name));
});

describe('a route', () => {
  const USUAL = {
    isSensitive: false,
    isAlwaysOpen: false,
    isForEnrollment: false,
    acceptsFile: false,
    isHeld: true,
    isDestructive: false,
    isBackground: false,
    isShared: false,
    showsUser: false,
  };

  test('without flags is an ordinary page or form, whose form waits for the password', () => {
    expect(route('GET', '/portal', 'session', page)).toMatchObject(USUAL);
    expect(publicRoute('POST', '/portal/login', page)).toMatchObject({
      ...USUAL,
      method: 'POST',
      path: '/portal/login',
      guard: 'public',
    });
  });

  test('for share links is a public page', () => {
    const path = '/portal/shared/:token';
    expect(sharedRoute(path, page)).toMatchObject({
      ...USUAL,
      isShared: true,
      method: 'GET',
      path,
      guard: 'public',
    });
  });

  test.each([
    [SENSITIVE, { isSensitive: true }],
    [ALWAYS, { isAlwaysOpen: true }],
    [ENROLLMENT, { isForEnrollment: true }],
    [WITH_FILE, { acceptsFile: true }],
    [NOT_HELD, { isHeld: false }],
    [DESTRUCTIVE, { isDestructive: true }],
    [BACKGROUND, { isBackground: true }],
  ])('with the flag %j differs only in it', (flag, expected) => {
    expect(route('POST', '/portal', 'session', page, flag)).toMatchObject({ ...USUAL, ...expected });
    expect(publicRoute('POST', '/portal', page, flag)).toMatchObject({ ...USUAL, ...expected });
  });

  test('shows the page of its guard instead of its own if the guard rejects the request', async () => {
    const isAdmin = (account: boolean) =>
      ({ ...VISIT, signedIn: { account: { isAdmin: account } } }) as unknown as SignedInVisit;
    const { respond } = route('GET', '/portal/system', 'admin', () => new Response('system'));
    const shown = await respond(isAdmin(true), {} as PortalDeps);
    expect(await shown.text()).toBe('system');
    expect((await respond(isAdmin(false), {} as PortalDeps)).status).toBe(403);
  });
});
