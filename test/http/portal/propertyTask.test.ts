import { describe, expect, test } from 'bun:test';
import { createCookies } from '../../../src/http/portal/kit/cookies.ts';
import type { PortalDeps, SignedInVisit } from '../../../src/http/portal/kit/route.ts';
import { createProperty } from '../../../src/http/portal/properties/propertyCreate.tsx';
import { changeProperty } from '../../../src/http/portal/properties/propertyTask.ts';
import { done, refuse } from '../../../src/lib/outcome.ts';
import type { Caller } from '../../../src/model/caller.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { Task, TaskId, TaskResult } from '../../../src/model/task.ts';
import { holdTasks } from '../../support/platform.ts';
import { addTenant, startServer } from '../../support/server.ts';
import { DEFAULT_FIELDS } from '../../support/sites.ts';

const caller = { accountId: 1, organizationId: undefined, keyId: undefined } as unknown as Caller;
const order = { kind: 'delete-properties', items: [7 as PropertyId] } as const;
const id = '0'.repeat(32) as TaskId;

/** @param looks after how many looks it is finished */
function tasksThat(result: TaskResult, looks: number) {
  const pauses: number[] = [];
  const task = { id, caller, order } as unknown as Task;
  const deps = {
    tasks: {
      start: async () => done(id),
      byId: async () => done({ ...task, results: pauses.length >= looks ? [result] : undefined }),
    },
    pause: async (milliseconds: number) => void pauses.push(milliseconds),
  };
  return { deps, pauses };
}

describe('a change of one site', () => {
  test('is waited for, with pauses that grow', async () => {
    const { deps, pauses } = tasksThat({ propertyId: 7 as PropertyId }, 4);
    expect(await changeProperty(deps, caller, order)).toMatchObject({
      kind: 'done',
      result: { propertyId: 7 },
    });
    expect(pauses).toEqual([10, 20, 40, 80]);
  });

  test('that is refused brings the problem of its one item', async () => {
    const { deps } = tasksThat({ problem: 'property-gone' }, 1);
    expect(await changeProperty(deps, caller, order)).toEqual({ kind: 'refused', problem: 'property-gone' });
  });

  test('that does not begin is refused without waiting', async () => {
    const { deps, pauses } = tasksThat({}, 1);
    const full = { ...deps, tasks: { ...deps.tasks, start: async () => refuse('task-queue-full' as const) } };
    expect(await changeProperty(full, caller, order)).toEqual({
      kind: 'refused',
      problem: 'task-queue-full',
    });
    expect(pauses).toEqual([]);
  });

  test('is left to itself after eight seconds', async () => {
    const { deps, pauses } = tasksThat({}, Number.POSITIVE_INFINITY);
    expect(await changeProperty(deps, caller, order)).toEqual({ kind: 'waiting' });
    const waited = pauses.reduce((sum, one) => sum + one, 0);
    expect(waited).toBeGreaterThanOrEqual(8000);
    expect(waited).toBeLessThan(8250);
  });
});

test('a page that stops waiting leads to the list and says so; the site is made all the same', async () => {
  const server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
  const { services } = server.app;
  const tenant = await addTenant(server);
  const letGo = holdTasks(server, tenant);
  const org = services.ids.seal('organization', tenant.organization.id);
  const visit = {
    params: { org },
    form: new URLSearchParams({ ...DEFAULT_FIELDS, name: 'Late' }),
    clientInfo: { address: '127.0.0.1', browser: '' },
    who: { account: tenant.account },
  } as unknown as SignedInVisit;
  const cookies = createCookies({ isHttps: false, sign: services.derivePortal });
  const deps = { ...services, cookies, pause: async () => undefined } as unknown as PortalDeps;
  const answer = await createProperty(visit, deps);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/portal/orgs/${org}`]);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { notice } = cookies.read(new Request('http://localhost/', { headers: { Cookie: cookie } }));
  expect(notice).toContain('This takes longer than usual');
  letGo();
  const later = { kind: 'delete-properties', items: [tenant.property.id] } as const;
  const pause = (milliseconds: number) => Bun.sleep(milliseconds);
  // One user's tasks end in the order in which they began.
  await changeProperty(
    { ...services, pause },
    { accountId: tenant.account.id, organizationId: undefined },
    later,
  );
  expect((await services.properties.list(tenant.organization.id)).map(({ name }) => name)).toEqual(['Late']);
  await server.stop();
});
