import { afterAll, beforeAll } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Route } from '../../../src/portal/kit/route.ts';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import { examplePath } from '../../portal/kit/examples.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { addYearOfTraffic } from '../../support/traffic.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

/** GET routes that are not pages: files, and data for scripts. */
const NO_PAGES = /\/cost$|\.(?:csv|json)$|\/state$|\/live$|\/(?:playground|trial)\/puzzle$/;

const PAGES = PORTAL_ROUTES.filter(({ method, path }) => method === 'GET' && !NO_PAGES.test(path));

/** A route of a page, and a path that it matches. */
export type Seen = { readonly one: Route; readonly path: string };

/** Every page of the route table, including pages that are added later, and an administrator who can open all of them. */
export type EveryPage = {
  readonly url: string;
  readonly browser: BrowserClient;
  readonly at: PortalUser;
  readonly seen: readonly Seen[];
  /** Opens every page in the browser, first those for visitors, and calls the function on each. */
  readonly visitAll: (look: (seen: Seen) => Promise<void>) => Promise<void>;
};

/** Starts a server with a year of traffic before the tests of a file, and stops it after them. */
export function useEveryPage(): EveryPage {
  let server: TestServer;
  let admin: Account;
  const world = {} as { -readonly [Key in keyof EveryPage]: EveryPage[Key] };

  beforeAll(async () => {
    server = await startServer();
    server.clock.now = Date.UTC(2026, 10, 20, 15, 30) as Instant;
    world.url = server.url.replace('127.0.0.1', 'localhost');
    admin = await addUser(server, true);
    world.browser = await signedIn(server, admin);
    const paths: Seen[] = [];
    // First, because the example of a task deletes the first property.
    const isOfTask = ({ path }: Route) => Number(path.includes(':task'));
    for (const one of PAGES.toSorted((a, b) => isOfTask(b) - isOfTask(a)))
      paths.push({ one, path: await examplePath(one.path, server, admin) });
    world.seen = paths;
    const { organizations, properties } = server.app.services;
    for (const { id } of await organizations.list(INSTALLATION, admin))
      for (const { sitekey } of await properties.list(INSTALLATION, id))
        await addYearOfTraffic(server, sitekey);
    world.at = await openPortalUser(world.url);
  });
  afterAll(async () => {
    world.at.tab.close();
    await server.stop();
  });

  world.visitAll = async (look) => {
    const isPublic = ({ one }: Seen) => one.guard === 'public';
    for (const visited of world.seen.filter(isPublic)) {
      await world.at.go(visited.path);
      await look(visited);
    }
    await world.at.signIn(admin.email);
    for (const visited of world.seen.filter((one) => !isPublic(one))) {
      await world.at.go(visited.path);
      await look(visited);
    }
  };
  return world;
}
