import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGeoipFile } from '../../support/geoipFile.ts';
import { useCommandLine } from '../commandLine.ts';
import { examine } from './examine.ts';

const cli = useCommandLine();

/** Checks a file with this content. */
async function check(name: string, content: Uint8Array | undefined) {
  const path = join(cli.folder, name);
  if (content !== undefined) writeFileSync(path, content);
  const { code, check: find } = await examine(cli, { POSTERN_GEOIP_FILES: path });
  return { code, ...find('geoip') };
}

describe('the check of the GeoIP files', () => {
  test('shows the type and the date of a file', async () => {
    const file = createGeoipFile({ '192.0.2.0/24': { country: 'DE' } }, { builtAt: new Date() });
    expect(await check('good.mmdb', file)).toMatchObject({
      code: 0,
      ok: true,
      warning: false,
      detail: expect.stringContaining('good.mmdb: Test-Country, built at 20'),
    });
  });

  test('warns of an old file', async () => {
    const file = createGeoipFile({ '192.0.2.0/24': { country: 'DE' } });
    expect(await check('old.mmdb', file)).toMatchObject({ code: 0, ok: true, warning: true });
  });

  test('fails for a missing or damaged file', async () => {
    expect(await check('missing.mmdb', undefined)).toMatchObject({ code: 1, ok: false });
    expect(await check('damaged.mmdb', Buffer.from('text'))).toMatchObject({
      code: 1,
      ok: false,
      detail: expect.stringContaining('not a complete MaxMind DB file'),
    });
  });
});
