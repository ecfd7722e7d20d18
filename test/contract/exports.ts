import { describe, expect, test } from 'bun:test';
import type { AuditEntry } from '../../src/model/audit.ts';
import type { ExportDocument } from '../../src/model/exportDocument.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import type { RuleDraft } from '../../src/model/rules/rule.ts';
import { emailOf } from '../support/email.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, now, type OpenWorld, type World } from './world.ts';

const ANN = { email: emailOf('ann@example.com'), name: 'Ann', plan: 'small', isDisabled: false };
const BEN = { email: emailOf('ben@example.com'), name: 'Ben', plan: 'default', isDisabled: true };
const SHOP = {
  ...DEFAULT_SETTINGS,
  name: 'Shop',
  domain: 'example.com',
  sitekey: 'aea467bc315688bf55ff632df525dda8' as Sitekey,
};
const RULE: RuleDraft = {
  name: 'Bots',
  isEnabled: true,
  isDryRun: false,
  action: { kind: 'adjust', levels: 8 },
  conditions: { userAgents: ['*bot*'], networks: ['192.0.2.0/24'] },
};
const DOCUMENT: ExportDocument = {
  rules: [],
  plans: [{ name: 'small', organizations: 1, properties: 1 }],
  users: [ANN, BEN],
  organizations: [{ name: 'Ann', owner: ANN.email, members: [BEN.email], properties: [SHOP] }],
};

const ENTRY: AuditEntry = {
  at: now,
  accountId: undefined,
  actor: 'command line',
  source: 'command-line',
  address: undefined,
  action: 'data-imported',
  organizationId: undefined,
  object: '1 byte',
};
const OPTIONS = { createsUsers: true, isDryRun: false, now, entry: ENTRY };

/** Everything that an export visits, in its order. */
async function read({ exports }: World): Promise<readonly unknown[]> {
  const visited: unknown[] = [];
  const visit = (value: unknown) => void visited.push(value);
  await exports.read({ rules: visit, plan: visit, user: visit, organization: visit, property: visit });
  return visited;
}

const actionsOf = async ({ audit }: World) =>
  (await audit.page({}, undefined, 100)).map(({ action }) => action);

export function describeExportStore(name: string, open: OpenWorld): void {
  describe(`export store (${name})`, () => {
    test('imports a document, and reads it again', async () => {
      const world = await open();
      expect(expectOkCounts(await world.exports.import(DOCUMENT, OPTIONS))).toEqual([1, 2, 1, 1, 1]);
      const { properties, ...head } = DOCUMENT.organizations[0] ?? { properties: [] };
      expect(await read(world)).toEqual([...DOCUMENT.plans, ANN, BEN, head, ...properties]);
      expect(await world.properties.bySitekey(SHOP.sitekey)).toMatchObject(SHOP);
      expect(await actionsOf(world)).toEqual([
        'data-imported',
        'property-created',
        'member-added',
        'organization-created',
        'user-created',
        'user-created',
        'plan-set',
      ]);
    });

    test('imports the rules of properties and of the installation, and reads them again', async () => {
      const world = await open();
      const [organization] = DOCUMENT.organizations;
      if (organization === undefined) throw new Error('no organization');
      const properties = [{ ...SHOP, rules: [RULE, { ...RULE, name: 'More bots' }] }];
      const withRules = { ...DOCUMENT, rules: [RULE], organizations: [{ ...organization, properties }] };
      expectOkCounts(await world.exports.import(withRules, OPTIONS));
      const visited = await read(world);
      expect(visited[0]).toEqual([RULE]);
      expect(visited.at(-1)).toEqual(properties[0]);
      const property = await world.properties.bySitekey(SHOP.sitekey);
      if (property === undefined) throw new Error('no property');
      const { rules } = await world.rules.list(property.id);
      expect(rules.map(({ id }) => id)).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.anything()]);
      await world.rules.addHits(rules.map(({ id }) => ({ id, hits: 1, lastHitAt: now })));
      expect((await world.rules.hits(property.id)).size).toBe(2);
      expect(await actionsOf(world)).toContain('installation-rules-changed');
      expect(expectOkCounts(await world.exports.import(withRules, OPTIONS))).toEqual([0, 0, 0, 0, 0]);
      expect(await read(world)).toEqual(visited);
      const changed = { ...RULE, name: 'Changed' };
      const other = [{ ...organization, properties: [{ ...SHOP, rules: [changed] }] }];
      expect(
        await world.exports.import({ ...withRules, rules: [changed], organizations: other }, OPTIONS),
      ).toMatchObject({
        ok: false,
        errors: [
          { path: '$.rules', problem: 'rules-differ' },
          { path: '$.organizations[0].properties[0]', problem: 'property-differs', detail: 'rules' },
        ],
      });
      expect(await read(world)).toEqual(visited);
    });

    test('a second import of a document changes nothing', async () => {
      const world = await open();
      await world.exports.import(DOCUMENT, OPTIONS);
      const [before, actions] = [await read(world), await actionsOf(world)];
      expect(expectOkCounts(await world.exports.import(DOCUMENT, OPTIONS))).toEqual([0, 0, 0, 0, 0]);
      expect(await read(world)).toEqual(before);
      expect(await actionsOf(world)).toEqual(actions);
    });

    test.each([
      ['with errors', DOCUMENT, { ...OPTIONS, createsUsers: false }],
      ['that exceeds a quota', { ...DOCUMENT, plans: [{ ...DOCUMENT.plans[0], properties: 0 }] }, OPTIONS],
      ['that is a dry run', DOCUMENT, { ...OPTIONS, isDryRun: true }],
    ] as [string, ExportDocument, typeof OPTIONS][])(
      'an import %s changes nothing',
      async (_, document, options) => {
        const world = await open();
        expect((await world.exports.import(document, options)).ok).toBe(options.isDryRun);
        expect(await read(world)).toEqual([]);
        expect(await world.accounts.list()).toEqual([]);
        expect(await actionsOf(world)).toEqual([]);
      },
    );

    test('imports and reads thousands of properties, and reports errors at their locations', async () => {
      const world = await open();
      const properties = Array.from({ length: 2100 }, (_, i) => ({
        ...SHOP,
        name: `Shop ${String(i).padStart(4, '0')}`,
        sitekey: i.toString(16).padStart(32, '0') as Sitekey,
      }));
      const documentOf = (changed: typeof properties, quota: number): ExportDocument => ({
        rules: [],
        plans: [{ name: 'small', organizations: 1, properties: quota }],
        users: [ANN],
        organizations: [{ name: 'Ann', owner: ANN.email, members: [], properties: changed }],
      });
      const errorsOf = async (document: ExportDocument) => {
        const result = await world.exports.import(document, OPTIONS);
        return result.ok ? [] : result.errors;
      };
      expect(await errorsOf(documentOf(properties, 2099))).toEqual([
        { path: '$.organizations[0].properties', problem: 'properties-limit' },
      ]);
      expect(await read(world)).toEqual([]);
      const document = documentOf(properties, 2100);
      expect(expectOkCounts(await world.exports.import(document, OPTIONS))).toEqual([1, 1, 1, 0, 2100]);
      expect((await read(world)).slice(3)).toEqual(properties);
      expect(await actionsOf(world)).toEqual([
        'data-imported',
        ...Array.from({ length: 99 }, () => 'property-created' as const),
      ]);
      const changed = properties.map((property, i) => ({
        ...property,
        ...(i === 1999 ? { level: 1 } : {}),
        ...(i === 2050 ? { sitekey: 'f'.repeat(32) as Sitekey } : {}),
      }));
      const at = (index: number) => `$.organizations[0].properties[${index}]`;
      expect(await errorsOf(documentOf([...changed, { ...SHOP, name: 'SHOP 0003' }], 2100))).toEqual([
        { path: at(1999), problem: 'property-differs', detail: 'level' },
        { path: '$.organizations[0].properties', problem: 'properties-limit' },
      ]);
    });

    test('an export does not contain deleted objects or users without an organization', async () => {
      const world = await open();
      await world.exports.import(DOCUMENT, OPTIONS);
      const owner = await addAccount(world);
      const { id } = expectOk(await world.organizations.create({ name: 'Gone', ownerId: owner.id }, now));
      const before = await read(world);
      expect(before).toContainEqual({ name: 'Gone', owner: owner.email, members: [] });
      expectOk(await world.organizations.remove(id, now));
      expect(await read(world)).toEqual(
        before.filter((value) => !JSON.stringify(value).includes(owner.email)),
      );
    });
  });
}

/** @returns how many plans, users, organizations, members, and properties were created */
function expectOkCounts(result: Awaited<ReturnType<World['exports']['import']>>): readonly number[] {
  if (!result.ok) throw new Error(JSON.stringify(result.errors));
  return Object.values(result.value).map(({ created }) => created);
}
