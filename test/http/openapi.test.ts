import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { VERDICT_CODES, VERDICTS, type VerdictName } from '../../src/captcha/verdict.ts';
import { PROBLEMS, type Problem } from '../../src/model/problems.ts';
import { version } from '../../src/version.ts';
import { PROGRAM } from '../cli/commandLine.ts';
import {
  createValidator,
  type Document,
  documentOf,
  operationsOf,
  type Placed,
} from '../support/document.ts';
import { useServer } from '../support/useServer.ts';

const ROOT = join(import.meta.dir, '../..');
const BASE_URL = 'https://captcha.postern.test';

let document: Document;
let placed: ReadonlyMap<string, Placed>;
const server = useServer({ settings: { POSTERN_BASE_URL: BASE_URL, POSTERN_DEMO: 'on' } });
beforeAll(async () => {
  document = await documentOf(server);
  placed = operationsOf(document);
});

/** Problems of commands and of the portal, which API requests cannot cause. */
const OF_COMMANDS =
  /^(?:email|passwords?|account|member|plan|scope)-(?!not-enough)|^key-(?:name|malformed|taken|unknown|revoked|expiry|rate-(?:malformed|too)|burst)|^keys-limit$|^admin-(?!only)|^invitations?-/;

/** Operations without error responses. */
const WITHOUT_ERRORS = [
  'preflightPuzzle',
  'getLiveness',
  'getReadiness',
  'getWidgetScript',
  'getSwaggerUi',
  'getOpenApiDocument',
];

test('the linter finds no problems and sends no requests', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // The license has a name and no URL, because the document contains no foreign URLs.
      'info-license-strict': 'off',
      // Another test checks that examples have no additional members.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    },
  });
  const { fetch } = globalThis;
  globalThis.fetch = Object.assign(() => Promise.reject(new Error('the linter sent a request')), fetch);
  try {
    const found = await lintFromString({ source: JSON.stringify(document), config });
    const lines = found
      .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
      .filter((line) => !isWithoutErrors(line));
    expect(lines).toEqual([]);
  } finally {
    globalThis.fetch = fetch;
  }
});

function isWithoutErrors(line: string): boolean {
  const pointers = [...placed.values()]
    .filter(({ operation }) => WITHOUT_ERRORS.includes(operation.operationId))
    .map(({ path, method }) => `#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses`);
  return line.startsWith('operation-4xx-response') && pointers.some((pointer) => line.endsWith(pointer));
}

describe('the document', () => {
  test('contains its version, title, and server', () => {
    expect(document).toMatchObject({ openapi: '3.0.3', info: { title: 'Postern', version } });
    expect(document.servers).toEqual([{ url: BASE_URL }]);
    expect(JSON.stringify(document)).not.toMatch(/elysia|scalar|unpkg|jsdelivr/i);
  });

  test('contains each operation once with its own id', () => {
    const count = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;
    expect(placed.size).toBe(count);
    for (const [id, { operation }] of placed) {
      expect(id).toMatch(/^[a-z]+(?:[A-Z][a-z]+)*$/);
      expect([id, Array.isArray(operation.security)]).toEqual([id, true]);
    }
  });

  test('has the routes of the specification and no hidden page', () => {
    const routes = [...placed.values()].map(({ method, path }) => `${method} ${path}`).sort();
    expect(routes).toEqual([
      'DELETE /apikey/old-secret',
      'DELETE /org',
      'DELETE /org/{org_id}/attack',
      'DELETE /org/{org_id}/property/{property_id}/attack',
      'DELETE /org/{org_id}/property/{property_id}/rule/{rule_id}',
      'DELETE /properties',
      'DELETE /rule/{rule_id}',
      'GET /apikey/stats',
      'GET /asynctask/{id}',
      'GET /livez',
      'GET /org/{org_id}/properties',
      'GET /org/{org_id}/property/{property_id}',
      'GET /org/{org_id}/property/{property_id}/rule/{rule_id}/stats',
      'GET /org/{org_id}/property/{property_id}/rules',
      'GET /org/{org_id}/property/{property_id}/stats',
      'GET /org/{org_id}/property/{property_id}/traffic',
      'GET /org/{org_id}/traffic',
      'GET /orgs',
      'GET /puzzle',
      'GET /readyz',
      'GET /recaptcha/api/siteverify',
      'GET /rule/{rule_id}/stats',
      'GET /rules',
      'GET /swagger',
      'GET /swagger/json',
      'GET /widget/postern.js',
      'OPTIONS /puzzle',
      'POST /apikey/rotate',
      'POST /checksiteconfig',
      'POST /hcaptcha/siteverify',
      'POST /org',
      'POST /org/{org_id}/attack',
      'POST /org/{org_id}/properties',
      'POST /org/{org_id}/property/{property_id}/attack',
      'POST /org/{org_id}/property/{property_id}/rules',
      'POST /org/{org_id}/property/{property_id}/rules/test',
      'POST /recaptcha/api/siteverify',
      'POST /rules',
      'POST /rules/test',
      'POST /siteverify',
      'POST /turnstile/v0/siteverify',
      'POST /verify',
      'PUT /org',
      'PUT /org/{org_id}/property/{property_id}/rule/{rule_id}',
      'PUT /org/{org_id}/property/{property_id}/rule/{rule_id}/position',
      'PUT /org/{org_id}/property/{property_id}/rules',
      'PUT /properties',
      'PUT /rule/{rule_id}',
      'PUT /rule/{rule_id}/position',
      'PUT /rules',
    ]);
  });

  test('lists every problem of API requests and no other', () => {
    const expected = Object.keys(PROBLEMS).filter((name) => !OF_COMMANDS.test(name));
    const { description } = document.info;
    const listed = [...description.matchAll(/^\| \d{4} \| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual([...expected, 'ok'].toSorted());
    for (const name of expected) {
      const { code, status, sentence } = PROBLEMS[name as Problem];
      expect(description).toContain(`| ${code} | \`${name}\` | ${status} | ${sentence} |`);
    }
  });

  test('describes every verdict with the sentence of docs/reference/api.md', async () => {
    const page = await Bun.file(join(ROOT, 'docs/reference/api.md')).text();
    for (const [name, code] of Object.entries(VERDICT_CODES)) {
      const { meaning } = VERDICTS[name as VerdictName];
      expect(document.info.description).toContain(`| ${code} | \`${name}\` | ${meaning} |`);
      expect(page).toContain(`| ${code} | \`${name}\` | ${meaning} |`);
    }
  });

  test('has valid examples', () => {
    const validator = createValidator(document);
    const errors = [];
    let count = 0;
    for (const { operation } of placed.values()) {
      const contents = [
        operation.requestBody?.content,
        ...Object.values(operation.responses).map((one) => one.content),
      ];
      for (const media of contents.flatMap((content) => Object.values(content ?? {}))) {
        for (const [name, { value }] of Object.entries(media.examples ?? {})) {
          count += 1;
          for (const error of validator.errorsOfValue(media.schema, value)) {
            errors.push(`${operation.operationId} ${name}: ${error}`);
          }
        }
      }
    }
    expect(errors).toEqual([]);
    expect(count).toBeGreaterThan(40);
  });

  // Rules of linters that the one above does not have.
  test('names a contact, and has no empty list of required members', () => {
    expect(document.info).toMatchObject({ contact: { url: BASE_URL } });
    expect(JSON.stringify(document)).not.toContain('"required":[]');
  });

  test('requires the sitekey of a verification, so that generated clients ask for it', () => {
    const { parameters = [] } = placed.get('verifySolution')?.operation ?? {};
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'X-PC-Sitekey', required: true }));
  });

  test('has at most 170 kB, because generators and Swagger UI load all of it', () => {
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThanOrEqual(170_000);
  });

  // Generators turn a member with a default into a required one.
  test('has no defaults in the schemas of requests', () => {
    const resolved = new Set<string>();
    const withDefault: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('$ref' in node && typeof node.$ref === 'string' && !resolved.has(node.$ref)) {
        resolved.add(node.$ref);
        const name = node.$ref.split('/').at(-1) ?? '';
        visit(document.components.schemas[name], name);
      }
      if ('default' in node) withDefault.push(path);
      for (const [name, value] of Object.entries(node)) visit(value, `${path}.${name}`);
    };
    for (const { operation } of placed.values()) {
      const media = Object.values(operation.requestBody?.content ?? {});
      for (const { schema } of media) visit(schema, operation.operationId);
    }
    expect(withDefault).toEqual([]);
    expect(resolved.size).toBeGreaterThan(3);
  });

  test('has schemas that reject invalid values', () => {
    const validator = createValidator(document);
    const envelope = { $ref: '#/components/schemas/OrganizationEnvelope' };
    const meta = { code: 1000, description: 'The operation succeeded.', request_id: 'x' };
    const data = { id: 'x', name: 'y' };
    expect(validator.errorsOfValue(envelope, { meta, data })).toEqual([]);
    for (const wrong of [
      { meta },
      { meta, data: null },
      { meta: { ...meta, code: 7 }, data },
      { meta, data: { ...data, more: 1 } },
    ]) {
      expect(validator.errorsOfValue(envelope, wrong)).not.toEqual([]);
    }
  });
});

describe('/swagger/json', () => {
  const path = '/swagger/json';

  test('is compressed and revalidated, and returns 304 to clients that have it', async () => {
    const first = await fetch(server.url + path);
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(server.url + path, { headers: { 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const plain = await fetch(server.url + path, { headers: { 'Accept-Encoding': 'identity' } });
    expect(await plain.text()).toBe(await first.text());
  });
});

describe('/swagger', () => {
  test('is a page with a strict policy and only local files', async () => {
    const response = await fetch(`${server.url}/swagger`);
    const page = await response.text();
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).not.toMatch(/'unsafe-(?:inline|eval)'/);
    expect(page).toContain('<html lang="en">');
    expect(page).not.toMatch(/https?:\/\/|<style|style=|<script>|\son\w+=/);
    const links = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, link = '']) => link);
    const files = new Set(links.filter((link) => /\.\w+$|\/json$/.test(link)));
    expect(files.size).toBe(7);
    expect(links.filter((link) => !files.has(link))).toEqual(['/demo', '/docs', '/swagger', '/portal']);
    for (const file of files) {
      const found = await fetch(server.url + file);
      expect([file, found.status, found.headers.get('content-encoding')]).toEqual([file, 200, 'gzip']);
      expect(found.headers.get('etag')).toMatch(/^"[0-9a-f]{16}"$/);
      const plain = await fetch(server.url + file, { headers: { 'Accept-Encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect((await plain.text()) === (await found.text())).toBe(true);
    }
  });
});

test('postern openapi prints the same document and creates no data folder', async () => {
  const folder = join(server.dataDir, 'not-there');
  const env = { PATH: process.env.PATH ?? '', POSTERN_BASE_URL: BASE_URL, POSTERN_DATA_DIR: folder };
  const run = (words: readonly string[]) => Bun.spawnSync([...PROGRAM, 'openapi', ...words], { env });
  const pretty = run([]);
  expect(pretty.stderr.toString()).toBe('');
  expect(pretty.exitCode).toBe(0);
  expect(pretty.stdout.toString()).toBe(`${JSON.stringify(document, null, 2)}\n`);
  expect(run(['--json']).stdout.toString()).toBe(`${JSON.stringify(document)}\n`);
  expect(await Bun.file(folder).exists()).toBe(false);
});
