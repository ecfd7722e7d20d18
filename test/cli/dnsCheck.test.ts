import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startDns, type TestDns } from '../support/dns.ts';
import { useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
const sample = useSampleData(cli);
let dns: TestDns;
let settings: Record<string, string>;
beforeAll(async () => {
  dns = await startDns({ 'shop.example.org': { A: ['192.0.2.1'] }, 'slow.example.org': { silence: true } });
  settings = {
    POSTERN_DNS_CHECK: 'on',
    POSTERN_DNS_SERVERS: dns.address,
    POSTERN_DNS_TIMEOUT_MS: '1000',
  };
});
afterAll(() => dns.stop());

const create = (domain: string, more = '') =>
  `properties create --org ${sample.benOrg} --name ${domain} --domain ${domain}${more}`;
const domains = async () =>
  (await cli.json(`properties list --org ${sample.benOrg}`)).map(({ domain }: { domain: string }) => domain);

describe('postern properties create', () => {
  test('creates a property whose domain resolves', async () => {
    expect(await cli.json(create('shop.example.org'), { settings })).toMatchObject({
      domain: 'shop.example.org',
    });
  });

  test.each([
    ['gone.example.org', 'The domain does not resolve in DNS'],
    ['slow.example.org', 'The DNS servers did not answer for this domain in time'],
  ])('rejects %s: %s', async (domain, sentence) => {
    const before = await domains();
    const { code, out, err } = await cli.run(`${create(domain)} --json`, { settings });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    for (const part of [sentence, 'code 1209', domain, '--no-dns-check', 'POSTERN_DNS_CHECK=off'])
      expect(err).toContain(part);
    expect(await domains()).toEqual(before);
  });

  test('with --no-dns-check sends no query, and records that in the audit log', async () => {
    const domain = 'intranet.corp.lan';
    const made = await cli.json(create(domain, ' --no-dns-check'), { settings });
    expect(made).toMatchObject({ domain });
    expect(dns.queries.has(domain)).toBe(false);
    const log = await cli.json('audit list --limit 2');
    const property = `${domain} (${made.sitekey})`;
    expect(log).toMatchObject([
      { action: 'dns-check-skipped', object: `${domain} of ${property}`, source: 'command' },
      { action: 'property-created', object: property },
    ]);
  });

  test('says in its help which setting turns the check off', async () => {
    const { out } = await cli.run('properties create --help');
    expect(out).toContain('Its domain must resolve, unless POSTERN_DNS_CHECK is off.');
  });

  test('sends no query if POSTERN_DNS_CHECK is off or the domain is invalid', async () => {
    const off = { ...settings, POSTERN_DNS_CHECK: 'off' };
    expect((await cli.run(create('off.example.org'), { settings: off })).code).toBe(0);
    expect((await cli.run(create('127.1'), { settings })).err).toContain(
      'The domain cannot be an IP address',
    );
    expect(dns.queries.has('off.example.org')).toBe(false);
  });
});
