import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test';
import { type Api, api, idsOf } from './platform.ts';
import { addTenant, startServer, type Tenant, type TestServer, type TestServerOptions } from './server.ts';

type FixtureOptions<T> = {
  /** `file` (the default): one value for all tests of the file or `describe` block; `test`: a new one for each test. */
  readonly per?: 'file' | 'test';
  readonly dispose?: (value: T) => unknown;
};

/**
 * Creates a value before the tests and disposes of it after them. Hooks run in the order in which fixtures are declared.
 *
 * @returns a stand-in for the value that can be declared at the top of a file; its members can be read inside tests and hooks
 */
export function useFixture<T extends object>(
  create: () => T | Promise<T>,
  { per = 'file', dispose }: FixtureOptions<T> = {},
): T {
  let value: T | undefined;
  const [before, after] = per === 'file' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    value = await create();
  });
  after(async () => {
    if (value !== undefined) await dispose?.(value);
    value = undefined;
  });
  return new Proxy({} as T, {
    get(_target, name) {
      if (value === undefined) throw new Error(`${String(name)} is available inside tests and hooks only`);
      return Reflect.get(value, name);
    },
  });
}

/** A server that starts before the tests and stops after them. @param options a function if a hook has to prepare them */
export function useServer(
  options: TestServerOptions | (() => TestServerOptions | Promise<TestServerOptions>) = {},
  { per = 'file' }: Pick<FixtureOptions<TestServer>, 'per'> = {},
): TestServer {
  const start = async () => startServer(typeof options === 'function' ? await options() : options);
  return useFixture(start, { per, dispose: (server) => server.stop() });
}

/** A tenant of the server: @see addTenant */
export function useTenant(
  server: TestServer,
  draft: Parameters<typeof addTenant>[1] = {},
  options: Pick<FixtureOptions<Tenant>, 'per'> = {},
): Tenant {
  return useFixture(() => addTenant(server, draft), options);
}

/** A client of the Platform API with the tenant's key. */
export function useClient(
  server: TestServer,
  tenant: Tenant,
  options: Pick<FixtureOptions<Api>, 'per'> = {},
): Api {
  return useFixture(() => api(server, tenant.portalKey), options);
}

/** The ids of the tenant's organization and property, as API clients send them. */
export function useIds(
  server: TestServer,
  tenant: Tenant,
  options: Pick<FixtureOptions<ReturnType<typeof idsOf>>, 'per'> = {},
): ReturnType<typeof idsOf> {
  return useFixture(() => idsOf(server, tenant), options);
}
