import { describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { expectOk } from '../../support/server.ts';
import { addOrganization, openUseCases } from '../useCases.ts';

const unknown = 999 as OrganizationId;

describe('properties', () => {
  test('get default settings, a domain in ASCII, and a unique sitekey', async () => {
    const services = openUseCases();
    const { organization } = await addOrganization(services);
    const draft = { organizationId: organization.id, name: ' Laden ', domain: 'MÜNCHEN.de.' };
    const created = expectOk(await services.properties.create(INSTALLATION, draft));
    expect(created).toMatchObject({
      ...DEFAULT_SETTINGS,
      name: 'Laden',
      domain: 'xn--mnchen-3ya.de',
      isEnabled: true,
    });
    const other = expectOk(await services.properties.create(INSTALLATION, { ...draft, name: 'Other' }));
    expect(created.sitekey).toMatch(/^[0-9a-f]{32}$/);
    expect(other.sitekey).not.toBe(created.sitekey);
  });

  test.each([
    [{ name: '' }, 'property-name-empty'],
    [{ domain: 'localhost' }, 'domain-localhost'],
    [{ domain: '127.0.0.1' }, 'domain-is-address'],
    [{ level: 0 }, 'level-malformed'],
    [{ level: 256 }, 'level-malformed'],
    [{ validitySeconds: 59 }, 'validity-malformed'],
    [{ allowance: 1_000_001 }, 'allowance-malformed'],
    [{ organizationId: unknown }, 'organization-unknown'],
    // The first problem is returned.
    [{ name: '', domain: '', level: 0 }, 'property-name-empty'],
    [{ domain: '', level: 0, organizationId: unknown }, 'domain-empty'],
  ])('are rejected with %o', async (change, problem) => {
    const services = openUseCases();
    const { organization } = await addOrganization(services);
    const draft = { organizationId: organization.id, name: 'Blog', domain: 'example.com', ...change };
    expect(await services.properties.create(INSTALLATION, draft)).toEqual({ ok: false, problem } as never);
    expect(await services.stores.properties.list()).toEqual([]);
  });
});
