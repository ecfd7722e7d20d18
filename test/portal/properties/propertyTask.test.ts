import { describe, expect, test } from 'bun:test';
import { done, reject } from '../../../src/lib/outcome.ts';
import type { AccountId } from '../../../src/model/account.ts';
import type { PropertyId } from '../../../src/model/property.ts';
import type { Task, TaskId, TaskResult } from '../../../src/model/task.ts';
import { createCookies } from '../../../src/portal/kit/cookies.ts';
import type { OrganizationVisit, PortalDeps } from '../../../src/portal/kit/handler.ts';
import { createProperty } from '../../../src/portal/properties/propertyCreate.tsx';
import { changeProperty } from '../../../src/portal/properties/propertyTask.tsx';
import { userActor } from '../../support/actors.ts';
import { blockTasks } from '../../support/platform.ts';
import { DEFAULT_FIELDS } from '../../support/propertyOwner.ts';
import { addTenant, startServer } from '../../support/server.ts';

const actor = userActor({ id: 1 as AccountId });
const order = { kind: 'delete-properties', items: [7 as PropertyId] } as const;
const id = '0'.repeat(32) as TaskId;

type Results = readonly TaskResult[] | undefined;

/** Dependencies whose task has the results of `reads`, one element for each read, and whose wait ends with `waited`. */
function depsOf(reads: readonly Results[], waited: Results = undefined) {
  const calls: string[] = [];
  const task = { id, actor, order } as unknown as Task;
  const left = [...reads];
  const deps = {
    tasks: {
      async start() {
        calls.push('start');
        return done(id);
      },
      async byId() {
        calls.push('read');
        return done({ ...task, results: left.shift() });
      },
    },
    async taskFinished() {
      calls.push('wait');
      return waited;
    },
  };
  return { deps, calls };
}

const DONE: Results = [{ propertyId: 7 as PropertyId }];
const IS_DONE = { kind: 'done', result: { propertyId: 7 } } as const;

describe('a change of one property', () => {
  test('ends with the result that the wait returns', async () => {
    const { deps, calls } = depsOf([undefined], DONE);
    expect(await changeProperty(deps, actor, order)).toMatchObject(IS_DONE);
    expect(calls).toEqual(['start', 'wait', 'read']);
  });

  test('ends with the stored result if the task finished before the wait began', async () => {
    const { deps } = depsOf([DONE]);
    expect(await changeProperty(deps, actor, order)).toMatchObject(IS_DONE);
  });

  test('ends with the stored result if another process finished the task', async () => {
    const { deps } = depsOf([undefined, DONE]);
    expect(await changeProperty(deps, actor, order)).toMatchObject(IS_DONE);
  });

  test('that is rejected has the problem of its only item', async () => {
    const { deps } = depsOf([undefined], [{ problem: 'property-gone' }]);
    expect(await changeProperty(deps, actor, order)).toEqual({ kind: 'rejected', problem: 'property-gone' });
  });

  test('that cannot start is rejected without a wait', async () => {
    const { deps, calls } = depsOf([]);
    const full = { ...deps, tasks: { ...deps.tasks, start: async () => reject('task-queue-full' as const) } };
    expect(await changeProperty(full, actor, order)).toEqual({
      kind: 'rejected',
      problem: 'task-queue-full',
    });
    expect(calls).toEqual([]);
  });

  test('continues without the page when the wait ends without results', async () => {
    const { deps } = depsOf([undefined, undefined]);
    expect(await changeProperty(deps, actor, order)).toEqual({ kind: 'waiting' });
  });
});

test('a page that stops waiting redirects to the list and says so; the property is still created', async () => {
  const server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
  const { services } = server.app;
  const tenant = await addTenant(server);
  const letGo = await blockTasks(server, tenant);
  const org = services.ids.seal('organization', tenant.organization.id);
  const visit = {
    organization: tenant.organization,
    organizationPath: `/portal/orgs/${org}`,
    form: new URLSearchParams({ ...DEFAULT_FIELDS, name: 'Late' }),
    clientInfo: { address: '127.0.0.1', browser: '' },
    actor: userActor(tenant.account),
  } as unknown as OrganizationVisit;
  const cookies = createCookies({ isHttps: false, sign: services.derivePortal });
  const deps = { ...services, cookies, taskFinished: async () => undefined } as unknown as PortalDeps;
  const answer = await createProperty(visit, deps);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/portal/orgs/${org}`]);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { notice } = cookies.read(new Request('http://localhost/', { headers: { Cookie: cookie } }));
  expect(notice).toContain('This takes longer than usual');
  await letGo();
  const left = async () => (await services.stores.properties.list(tenant.organization.id)).length;
  while ((await left()) < 2) await Bun.sleep(10);
  expect(
    (await services.stores.properties.list(tenant.organization.id)).map(({ name }) => name).toSorted(),
  ).toEqual(['Blog', 'Late']);
  await server.stop();
});
