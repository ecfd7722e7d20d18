import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useClient, useIds, useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve } from '../support/visitor.ts';

/** Clients that three generators create from the OpenAPI document: they pass the type checker and work. */

const MODULES = join(import.meta.dir, '../../node_modules');

type Input = {
  readonly url: string;
  readonly portalKey: string;
  readonly verifyKey: string;
  readonly org: string;
  readonly sitekey: string;
  readonly payload: string;
};
type Output = {
  readonly organizations: readonly string[];
  readonly task: string;
  readonly errors: readonly number[];
  readonly code: number;
};

const INPUT = `type Input = { url: string; portalKey: string; verifyKey: string; org: string; sitekey: string; payload: string };`;

/** Each program lists organizations, creates a property with its required members, sends an invalid batch, and verifies a solution. */
const PROGRAMS = {
  'openapi-typescript': `
import type { components, paths } from './types';
${INPUT}
type Created = paths['/org/{org_id}/properties']['post'];
type ErrorBody = Created['responses'][400]['content']['application/json'];
export async function run({ url, portalKey, verifyKey, org, sitekey, payload }: Input) {
  async function ask<Body>(method: string, path: keyof paths, body?: string, key = portalKey): Promise<Body> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', 'X-PC-Sitekey': sitekey };
    const response = await fetch(url + path.replace('{org_id}', org), { method, headers, ...(body && { body }) });
    return (await response.json()) as Body;
  }
  const properties = '/org/{org_id}/properties';
  const list = await ask<paths['/orgs']['get']['responses'][200]['content']['application/json']>('GET', '/orgs');
  const batch: components['schemas']['PropertyCreationBatch'] = [{ name: 'Typed', domain: 'example.com' }];
  const started = await ask<Created['responses'][200]['content']['application/json']>('POST', properties, JSON.stringify(batch));
  const invalid: Created['requestBody']['content']['application/json'] = [{ name: '', domain: 'example.com' }];
  const rejected = await ask<ErrorBody>('POST', properties, JSON.stringify(invalid));
  const verdict = await ask<components['schemas']['Verdict']>('POST', '/verify', payload, verifyKey);
  return {
    organizations: list.data.map(({ id }) => id),
    task: started.data.id,
    errors: rejected.data?.errors.map(({ code }) => code) ?? [],
    code: verdict.code,
  };
}`,
  '@hey-api/openapi-ts': `
import { createProperties, listOrganizations, verifySolution } from './hey';
import { client } from './hey/client.gen';
${INPUT}
export async function run({ url, portalKey, verifyKey, org, sitekey, payload }: Input) {
  client.setConfig({ baseUrl: url, auth: ({ key }) => (key === 'VerifyKey' ? verifyKey : portalKey) });
  const list = await listOrganizations();
  const path = { org_id: org };
  const started = await createProperties({ path, body: [{ name: 'Hey', domain: 'example.com' }] });
  const rejected = await createProperties({ path, body: [{ name: '', domain: 'example.com' }] });
  const verdict = await verifySolution({ body: payload, headers: { 'X-PC-Sitekey': sitekey } });
  // @ts-expect-error A client asks for the sitekey.
  void (() => verifySolution({ body: payload }));
  return {
    organizations: list.data?.data.map(({ id }) => id) ?? [],
    task: started.data?.data.id ?? '',
    errors: rejected.error?.data?.errors.map(({ code }) => code) ?? [],
    code: verdict.data?.code ?? -1,
  };
}`,
  oazapfts: `
import { createProperties, defaults, listOrganizations, verifySolution } from './oazapfts';
${INPUT}
export async function run({ url, portalKey, verifyKey, org, sitekey, payload }: Input) {
  defaults.baseUrl = url;
  const portal = { headers: { 'X-API-Key': portalKey } };
  const list = await listOrganizations({}, portal);
  const started = await createProperties(org, [{ name: 'Oazapfts', domain: 'example.com' }], portal);
  const rejected = await createProperties(org, [{ name: '', domain: 'example.com' }], portal);
  const verdict = await verifySolution(sitekey, payload, {}, { headers: { 'X-API-Key': verifyKey } });
  // @ts-expect-error A client asks for the sitekey.
  void (() => verifySolution(payload));
  return {
    organizations: list.status === 200 ? list.data.data.map(({ id }) => id) : [],
    task: started.status === 200 ? started.data.data.id : '',
    errors: rejected.status === 400 ? (rejected.data.data?.errors.map(({ code }) => code) ?? []) : [],
    code: verdict.data.code,
  };
}`,
} as const;

const COMMANDS = {
  'openapi-typescript': ['openapi-typescript', 'openapi.json', '--output', 'types.ts'],
  '@hey-api/openapi-ts': ['openapi-ts', '--input', 'openapi.json', '--output', 'hey', '--no-log-file'],
  oazapfts: ['oazapfts', 'openapi.json', 'oazapfts.ts'],
} as const;

type Generator = keyof typeof PROGRAMS;

const generators: readonly Generator[] = ['openapi-typescript', '@hey-api/openapi-ts', 'oazapfts'];
const fileOf = (generator: Generator) => `run-${generator.replaceAll(/\W/g, '-')}.ts`;

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server, { allowance: generators.length });
const client = useClient(server, tenant);
const ids = useIds(server, tenant);
let folder: string;

/** Runs a program of a package. @returns its output if it fails */
async function run(name: string, ...options: readonly string[]): Promise<string> {
  const command = [process.execPath, join(MODULES, '.bin', name), ...options];
  const program = Bun.spawn(command, {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '', CI: '1' },
  });
  const output = await Promise.all([program.stdout.text(), program.stderr.text(), program.exited]);
  return output[2] === 0 ? '' : output.join('\n');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-clients-'));
  symlinkSync(MODULES, join(folder, 'node_modules'));
  await Bun.write(join(folder, 'openapi.json'), await (await fetch(`${server.url}/swagger/json`)).text());
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    types: [],
  };
  await Bun.write(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts', 'hey'] }),
  );
  for (const generator of generators) {
    await Bun.write(join(folder, fileOf(generator)), PROGRAMS[generator]);
    const [name, ...options] = COMMANDS[generator];
    expect(await run(name, ...options)).toBe('');
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the generated clients and the programs that use them pass the type checker', async () => {
  expect(await run('tsc', '--project', folder)).toBe('');
});

test.each(generators)('a client of %s works', async (generator) => {
  const { run } = (await import(join(folder, fileOf(generator)))) as {
    run: (input: Input) => Promise<Output>;
  };
  const { portalKey, verifyKey, property } = tenant;
  const payload = await fetchAndSolve(server.url, property.sitekey);
  const { url } = server;
  const { sitekey } = property;
  const result = await run({ url, portalKey, verifyKey, org: ids.org, sitekey, payload });
  expect(result).toMatchObject({ organizations: [ids.org], errors: [1201], code: 0 });
  expect(await client.finished(result.task)).toMatchObject([{ code: 1000 }]);
});

test('the document tells clients which operations need which key', async () => {
  const document = (await (await fetch(`${server.url}/swagger/json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; security: readonly object[] }>>;
  };
  const schemes = new Map<string, string[]>();
  for (const { operationId, security } of Object.values(document.paths).flatMap((item) =>
    Object.values(item),
  )) {
    const scheme = security.flatMap((one) => Object.keys(one)).join();
    schemes.set(scheme, [...(schemes.get(scheme) ?? []), operationId]);
  }
  expect([...schemes.keys()].sort()).toEqual(['', 'PortalKey', 'PortalKey,VerifyKey', 'VerifyKey']);
  expect(schemes.get('VerifyKey')?.sort()).toEqual(['siteverify', 'verifySolution']);
  expect(schemes.get('PortalKey')).toHaveLength(33);
  expect(schemes.get('PortalKey,VerifyKey')?.sort()).toEqual([
    'endOldSecret',
    'getApiKeyStatistics',
    'rotateApiKey',
  ]);
});
