import { expect } from 'bun:test';
import type { Property } from '../../src/model/property.ts';
import type { Tenant, TestServer } from './server.ts';
import { PATIENCE_MS } from './waitUntil.ts';

/** A minimal client of the Platform API. */

/** A parsed response. `data` is null in an error response, except for a rejected batch. */
export type Reply<Data = unknown> = {
  readonly status: number;
  readonly code: number;
  readonly description: string;
  readonly data: Data;
  readonly pagination?: Pagination;
  readonly headers: Headers;
};

type Pagination = { readonly page: number; readonly per_page: number; readonly has_more: boolean };

export type Named = { readonly id: string; readonly name: string };

/** The result of one item of a batch. */
export type Entry = Partial<Named> & {
  readonly code: number;
  readonly description: string;
  readonly sitekey?: string;
};

/** `data` of a rejected batch. */
export type BatchErrors = {
  readonly errors: readonly {
    readonly index: number;
    readonly code: number;
    readonly description: string;
  }[];
};

export type Api = ReturnType<typeof api>;

/** Matches `meta.description`: a sentence, which starts with the member's name for some settings. */
export const SENTENCE = /^(?:[A-Z]|[a-z_]+ must be ).*\.$/;

/** @param key undefined for requests without an API key */
export function api({ url }: Pick<TestServer, 'url'>, key: string | undefined) {
  async function ask<Data>(method: string, path: string, body?: unknown): Promise<Reply<Data>> {
    const headers = new Headers(key === undefined ? {} : { 'X-API-Key': key });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const init = { method, headers, ...(body === undefined ? {} : { body: text }) };
    return envelopeOf<Data>(await fetch(url + path, init));
  }

  async function finished(id: string): Promise<readonly Entry[]> {
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const { data } = await ask<{ finished: boolean; result: Entry[] | null }>('GET', `/asynctask/${id}`);
      if (data.finished) return data.result ?? [];
      await Bun.sleep(2);
    }
    throw new Error(`the task ${id} did not finish within ${PATIENCE_MS} ms`);
  }

  return {
    ask,
    get: <Data = unknown>(path: string) => ask<Data>('GET', path),
    post: <Data = unknown>(path: string, body: unknown) => ask<Data>('POST', path, body),
    put: <Data = unknown>(path: string, body: unknown) => ask<Data>('PUT', path, body),
    delete: <Data = unknown>(path: string, body: unknown) => ask<Data>('DELETE', path, body),
    /** Polls until the task is finished. @returns its entries */
    finished,
    /** Sends a batch and waits for its entries. @throws if the whole batch is rejected */
    async run(method: string, path: string, body: unknown): Promise<readonly Entry[]> {
      const { code, description, data } = await ask<{ id: string } | null>(method, path, body);
      if (code !== 1000) throw new Error(`rejected: ${code} ${description}`);
      return finished(data?.id ?? '');
    },
  };
}

/** Checks and parses the envelope of a response. */
async function envelopeOf<Data>(response: Response): Promise<Reply<Data>> {
  const { status, headers } = response;
  const { meta, data, pagination, ...rest } = (await response.json()) as {
    meta: { code: number; description: string; request_id: string };
    data: Data;
    pagination?: Pagination;
  };
  expect(rest).toEqual({});
  expect(Object.keys(meta)).toEqual(['code', 'description', 'request_id']);
  expect(meta.request_id).toBe(headers.get('x-request-id') ?? '');
  expect(meta.description).toMatch(SENTENCE);
  expect(data).not.toBeUndefined();
  expect({ isOk: meta.code === 1000, status }).toMatchObject({ isOk: status === 200 });
  return { status, ...meta, data, ...(pagination && { pagination }), headers };
}

/** The ids of a tenant's organization and property in the API. */
export function idsOf({ app: { services } }: TestServer, { organization, property }: Tenant) {
  return {
    org: services.ids.seal('organization', organization.id),
    property: services.ids.seal('property', property.id),
  };
}

export function propertyIdOf({ app: { services } }: TestServer, { id }: Property): string {
  return services.ids.seal('property', id);
}

/** An operation of the Platform API, with a request that a tenant can send. */
export type Route = {
  readonly method: string;
  readonly path: string;
  readonly access: 'read' | 'write';
  readonly body?: unknown;
};

/** The operations of the Platform API on organizations, properties, and tasks. @param name for the objects that they would create */
export function routesFor({ org, property }: ReturnType<typeof idsOf>, name = 'New'): readonly Route[] {
  return [
    { method: 'GET', path: '/orgs', access: 'read' },
    { method: 'POST', path: '/org', access: 'write', body: { name } },
    { method: 'PUT', path: '/org', access: 'write', body: { id: org, name: `${name} name` } },
    { method: 'DELETE', path: '/org', access: 'write', body: { id: org } },
    { method: 'GET', path: `/org/${org}/properties`, access: 'read' },
    { method: 'GET', path: `/org/${org}/property/${property}`, access: 'read' },
    { method: 'GET', path: `/org/${org}/property/${property}/stats`, access: 'read' },
    ...[`/org/${org}/attack`, `/org/${org}/property/${property}/attack`].flatMap(
      (path) =>
        [
          { method: 'POST', path, access: 'write' },
          { method: 'DELETE', path, access: 'write' },
        ] as const,
    ),
    {
      method: 'POST',
      path: `/org/${org}/properties`,
      access: 'write',
      body: [{ name, domain: 'example.org' }],
    },
    { method: 'PUT', path: '/properties', access: 'write', body: [{ id: property, level: 7 }] },
    { method: 'DELETE', path: '/properties', access: 'write', body: [property] },
    { method: 'GET', path: `/asynctask/${'0'.repeat(32)}`, access: 'read' },
  ];
}

/** A lease of a usual length. The runner ignores leases that end much later than its own. */
export const LEASE_MS = 60_000;

/**
 * Adds an earlier task of the user with the lease of another process, so that later tasks wait.
 *
 * @returns a function that removes the task
 */
export async function blockTasks(
  { raw, clock }: TestServer,
  { account }: Tenant,
): Promise<() => Promise<void>> {
  const id = crypto.randomUUID().replaceAll('-', '');
  await raw.query(
    `INSERT INTO tasks (id, account_id, task_order, lease, leased_until, created_at)
     VALUES (?, ?, '{"kind":"delete-properties","items":[]}', 'elsewhere', ?, 0)`,
    [id, account.id, clock.now + LEASE_MS],
  );
  return async () => {
    await raw.query('DELETE FROM tasks WHERE id = ?', [id]);
  };
}
