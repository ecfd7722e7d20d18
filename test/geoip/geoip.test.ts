import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGeoip } from '../../src/geoip/geoip.ts';
import { createLog } from '../../src/lib/log.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import { createGeoipFile } from '../support/geoipFile.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-geoip-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function write(content: Uint8Array, path = join(folder, `${++files}.mmdb`)): string {
  writeFileSync(path, content);
  return path;
}

async function open(...paths: string[]) {
  const logged: Record<string, unknown>[] = [];
  const log = createLog({
    limits: LOG_LIMITS,
    level: 'info',
    format: 'json',
    clock: () => 0 as never,
    write: (line) => logged.push(JSON.parse(line)),
  });
  const geoip = createGeoip(paths, log);
  await geoip.load();
  return { ...geoip, events: () => logged.map(({ event, reason }) => [event, reason]) };
}

const UNKNOWN = { country: undefined, asn: undefined };

describe('GeoIP files', () => {
  test('have countries and ASNs in the formats of several vendors', async () => {
    const path = write(
      createGeoipFile({
        '192.0.2.0/25': {
          country: { iso_code: 'DE', geoname_id: 1 },
          registered_country: { iso_code: 'FR' },
        },
        '192.0.2.128/25': { registered_country: { iso_code: 'FR' } },
        '198.51.100.0/24': { country: 'AT', asn: 'AS64496' },
        '203.0.113.0/24': { country_code: 'CH', country: 'Switzerland' },
        '2001:db8::/32': { autonomous_system_number: 4_200_000_000, autonomous_system_organization: 'X' },
      }),
    );
    const { find } = await open(path);
    expect(find('192.0.2.1')).toEqual({ country: 'DE', asn: undefined });
    expect(find('192.0.2.200')).toEqual({ country: 'FR', asn: undefined });
    expect(find('198.51.100.7')).toEqual({ country: 'AT', asn: 64_496 });
    expect(find('203.0.113.7')).toEqual({ country: 'CH', asn: undefined });
    expect(find('2001:db8::1')).toEqual({ country: undefined, asn: 4_200_000_000 });
    for (const address of ['192.0.3.1', '2001:db9::1', undefined]) expect(find(address)).toEqual(UNKNOWN);
  });

  test('complement each other, and the first file that has a value determines it', async () => {
    const first = write(createGeoipFile({ '192.0.2.0/24': { country: 'DE' } }, { ipVersion: 4 }));
    const second = write(
      createGeoipFile(
        { '192.0.2.0/24': { country: 'FR', autonomous_system_number: 3320 } },
        { type: 'Test-ASN' },
      ),
    );
    const { find, status } = await open(first, second);
    expect(find('192.0.2.1')).toEqual({ country: 'DE', asn: 3320 });
    expect(find('::1')).toEqual(UNKNOWN);
    expect(status()).toMatchObject({
      hasCountries: true,
      hasAsns: true,
      files: [{ path: first }, { path: second }],
    });
  });

  test('are read again when they change; a damaged or missing file keeps its previous content', async () => {
    const good = createGeoipFile({ '192.0.2.0/24': { country: 'DE' } }, { builtAt: new Date(1e12) });
    const path = write(good);
    const { find, refresh, status, events } = await open(path);
    expect(find('192.0.2.1').country).toBe('DE');
    write(createGeoipFile({ '192.0.2.0/24': { country: 'FR' }, '198.51.100.0/24': { country: 'FR' } }), path);
    await refresh();
    expect(find('192.0.2.1').country).toBe('FR');
    for (const damaged of [Buffer.alloc(0), Buffer.from('text'), good.subarray(0, 90)]) {
      write(damaged, path);
      await refresh();
      expect(find('192.0.2.1').country).toBe('FR');
    }
    unlinkSync(path);
    await refresh();
    await refresh();
    expect(find('192.0.2.1').country).toBe('FR');
    expect(status().files[0]?.failure).toContain('ENOENT');
    write(good, path);
    await refresh();
    expect(find('192.0.2.1').country).toBe('DE');
    expect(status().files[0]).toEqual({
      path,
      type: 'Test-Country',
      builtAt: 1e12 as never,
      failure: undefined,
    });
    // Failures with the same reason are logged once.
    expect(events()).toEqual([
      ['geoip-file-loaded', undefined],
      ['geoip-file-loaded', undefined],
      ['geoip-file-failed', 'the file is not a complete MaxMind DB file'],
      ['geoip-file-failed', expect.stringContaining('ENOENT')],
      ['geoip-file-loaded', undefined],
    ]);
  });

  test('that are missing at the start are read when they appear', async () => {
    const path = join(folder, 'late.mmdb');
    const { find, refresh, events } = await open(path);
    expect(find('192.0.2.1')).toEqual(UNKNOWN);
    write(createGeoipFile({ '192.0.2.0/24': { country: 'DE' } }), path);
    await refresh();
    expect(find('192.0.2.1').country).toBe('DE');
    expect(events().map(([event]) => event)).toEqual(['geoip-file-failed', 'geoip-file-loaded']);
  });

  test('without files, every address is unknown', async () => {
    const { find, status } = await open();
    expect(find('192.0.2.1')).toEqual(UNKNOWN);
    expect(status()).toEqual({ files: [], hasCountries: false, hasAsns: false });
  });
});
