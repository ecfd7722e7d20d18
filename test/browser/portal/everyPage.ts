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
const NO_PAGES = /\/cost$|\.(?:csv|json)$|\/state$|\/live$|\/palette$|\/(?:playground|trial)\/puzzle$/;

const PAGES = PORTAL_ROUTES.filter(({ method, path }) => method === 'GET' && !NO_PAGES.test(path));

/** A route of a page, and a path that it matches. */
export type Seen = { readonly one: Route; readonly path: string };

/** Every page of the route table, including pages that are added later, and an administrator who can open all of them. */
export type EveryPage = {
  readonly server: TestServer;
  readonly admin: Account;
  readonly url: string;
  readonly browser: BrowserClient;
  readonly at: PortalUser;
  readonly seen: readonly Seen[];
  /** Opens every page in the browser, first those for visitors, and calls the function on each. The default language is English. */
  readonly visitAll: (look: (seen: Seen) => Promise<void>, language?: string) => Promise<void>;
};

/** Starts a server with a year of traffic before the tests of a file, and stops it after them. */
export function useEveryPage(): EveryPage {
  const world = {} as { -readonly [Key in keyof EveryPage]: EveryPage[Key] };

  beforeAll(async () => {
    const server = await startServer({ settings: { POSTERN_TRAFFIC_DETAILS: 'on' } });
    world.server = server;
    server.clock.now = Date.UTC(2026, 10, 20, 15, 30) as Instant;
    world.url = server.url.replace('127.0.0.1', 'localhost');
    const admin = await addUser(server, true);
    world.admin = admin;
    world.browser = await signedIn(server, admin);
    const paths: Seen[] = [];
    // First, because the example of a task deletes the first property.
    const isOfTask = ({ path }: Route) => Number(path.includes(':task'));
    for (const one of PAGES.toSorted((a, b) => isOfTask(b) - isOfTask(a)))
      paths.push({ one, path: await examplePath(one.path, server, admin) });
    world.seen = paths;
    const { organizations, properties } = server.app.services;
    for (const { id } of await organizations.list(INSTALLATION, admin))
      for (const { sitekey } of await properties.list(INSTALLATION, id)) {
        await addYearOfTraffic(server, sitekey);
        await addRejections(server, sitekey);
      }
    world.at = await openPortalUser(world.url);
  });
  afterAll(async () => {
    world.at.tab.close();
    await world.server.stop();
  });

  world.visitAll = async (look, language) => {
    const { tab, go, signIn } = world.at;
    const speak = async (tag: string) => {
      const headers = { 'Accept-Language': tag };
      if (language !== undefined) await tab.cdp('Network.setExtraHTTPHeaders', { headers });
    };
    const isPublic = ({ one }: Seen) => one.guard === 'public';
    const visit = async (pages: readonly Seen[]) => {
      await speak(language ?? '');
      for (const visited of pages) {
        await go(visited.path);
        await look(visited);
      }
    };
    await tab.clearCookies();
    await visit(world.seen.filter(isPublic));
    await speak('en');
    await signIn(world.admin.email);
    await visit(world.seen.filter((one) => !isPublic(one)));
  };
  return world;
}

/** Two pages of rejections. */
async function addRejections({ url }: TestServer, sitekey: string): Promise<void> {
  for (let count = 0; count < 60; count++) {
    const headers = { Origin: `https://a-rather-long-name-${count}.evil.example` };
    await fetch(`${url}/puzzle?sitekey=${sitekey}`, { headers });
  }
}
