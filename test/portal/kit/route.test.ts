import { expect, test } from 'bun:test';
import { publicRoute, route } from '../../../src/portal/kit/route.ts';

const page = () => new Response();

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
  expect(route('GET', '/portal', 'session', page)).toMatchObject({ isSensitive: false, isAlwaysOpen: false });
});
