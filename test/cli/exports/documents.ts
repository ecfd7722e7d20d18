import { afterEach, beforeEach, expect } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from '../../../docs/reference/export.schema.json';
import { type CommandLine, createCommandLine } from '../commandLine.ts';

/** Whether a document matches the JSON Schema of the documentation. */
export const matchesSchema = new Ajv2020().compile(schema);

export const SITEKEY = 'aea467bc315688bf55ff632df525dda8';
export const OTHER_SITEKEY = '0123456789abcdef0123456789abcdef';

export const RULE = {
  name: 'Bots',
  enabled: true,
  dry_run: false,
  action: 'adjust',
  levels: 16,
  conditions: { networks: ['192.0.2.0/24'], user_agents: ['*bot*'], asns: [64_496], downgrades: ['hashwx'] },
};
export const SHOP = {
  name: 'Shop',
  domain: 'example.com',
  sitekey: SITEKEY,
  level: 130,
  growth: 'fast',
  challenge: 'hashwx',
  validity_seconds: 600,
  allow_subdomains: true,
  allow_localhost: true,
  max_replay_count: 3,
  enabled: false,
  rules: [RULE],
};
export const ANN = { email: 'ann@example.com', name: 'Ann', plan: 'small', disabled: false };
export const BEN = { email: 'ben@example.com', name: 'Ben', plan: 'default', disabled: true };
export const SMALL = { name: 'small', organizations: 2, properties: 3 };
export const FRIENDS = {
  name: 'Ann and friends',
  owner: ANN.email,
  members: [BEN.email],
  properties: [SHOP],
};
export const DOCUMENT = {
  format: 'postern-export',
  version: 2,
  rules: [{ ...RULE, name: 'All bots' }],
  plans: [SMALL],
  users: [ANN, BEN],
  organizations: [FRIENDS],
};

/** The document with other properties in its only organization. */
export const withProperties = (...properties: readonly object[]) => ({
  ...DOCUMENT,
  organizations: [{ ...FRIENDS, properties }],
});
export const withProperty = (change: object) => withProperties({ ...SHOP, ...change });

export const created = (number: number) => ({ created: number, unchanged: 0 });
export const unchanged = (number: number) => ({ created: 0, unchanged: number });

export type Report = { ok: boolean; errors: { path: string; message: string }[]; total: number };

/** An empty installation for each test. Call this at the top of a test file. */
export function useTarget() {
  let target: CommandLine;
  beforeEach(() => {
    target = createCommandLine();
  });
  afterEach(() => target.remove());

  const importing = (document: unknown, options: string) =>
    target.run(`import - --json ${options}`.trim(), { stdin: JSON.stringify(document) });

  return {
    cli: () => target,
    exported: async () => (await target.run('export')).out,
    async succeed(document: unknown, options = '--create-users') {
      const { code, out } = await importing(document, options);
      expect({ code, out }).toMatchObject({ code: 0 });
      return JSON.parse(out);
    },
    /** Imports a document with errors. @returns `path: message` for each error */
    async fail(document: unknown, options = '--create-users'): Promise<string[]> {
      const { code, out } = await importing(document, options);
      expect({ code, out }).toMatchObject({ code: 1 });
      const report: Report = JSON.parse(out);
      expect(report).toMatchObject({ ok: false, total: report.errors.length });
      return report.errors.map(({ path, message }) => `${path}: ${message}`);
    },
  };
}
