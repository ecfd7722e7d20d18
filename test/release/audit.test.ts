import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditPackages } from '../audit.ts';

/** A registry in another thread, because the audit blocks this one. */
const REGISTRY = `
  const advisory = (severity) => ({ id: 1, url: 'https://example.com/' + severity, title: 'Bad', severity, vulnerable_versions: '*', cwe: [] });
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const packages = JSON.parse(new TextDecoder().decode(request.headers.get('content-encoding') === 'gzip' ? Bun.gunzipSync(bytes) : bytes));
      const answers = {
        '/clean': {},
        '/runtime': { elysia: [advisory('critical')] },
        '/low': { elysia: [advisory('moderate')] },
        '/development': 'typescript' in packages ? { typescript: [advisory('high')] } : {},
      };
      const [path] = new URL(request.url).pathname.split('/-/');
      return path in answers ? Response.json(answers[path]) : new Response('no', { status: 405 });
    },
  });
  postMessage(server.port);
`;

let worker: Worker;
let port: number;

beforeAll(async () => {
  worker = new Worker(URL.createObjectURL(new Blob([REGISTRY])));
  port = await new Promise((resolve) => {
    worker.onmessage = (event: MessageEvent<number>) => resolve(event.data);
  });
});
afterAll(() => worker.terminate());

const audit = (path: string) => auditPackages({ npm_config_registry: `http://127.0.0.1:${port}/${path}/` });

describe('the audit', () => {
  test('passes if the registry knows no vulnerability', () => {
    expect(audit('clean')).toMatchObject({
      status: 'passed',
      report: expect.arrayContaining([
        expect.stringContaining('0 known vulnerabilities of high or critical severity'),
      ]),
    });
  });

  test('fails for a critical vulnerability of a runtime package', () => {
    const { status, report } = audit('runtime');
    expect(status).toBe('vulnerable');
    expect(report).toContain('  critical: elysia: Bad (https://example.com/critical)');
  });

  test.each([
    [
      'a moderate vulnerability of a runtime package',
      'low',
      '  moderate: elysia: Bad (https://example.com/moderate)',
    ],
    [
      'a high vulnerability of a development package',
      'development',
      '  high: typescript: Bad (https://example.com/high)',
    ],
  ])('reports %s and passes', (_, path, line) => {
    const { status, report } = audit(path);
    expect(status).toBe('passed');
    expect(report).toContain(line);
  });

  test('does not pass if the registry does not answer', () => {
    const { status, report } = audit('unavailable');
    expect(status).toBe('incomplete');
    expect(report[0]).toMatch(/^Dependency audit: NOT PERFORMED\. The registry did not answer: .*405/);
  });

  test('always says what it does not cover', () => {
    for (const path of ['clean', 'runtime', 'unavailable'])
      expect(audit(path).report.join('\n')).toContain('Not covered: Bun with its libraries');
  });
});
