import type { Config } from '../../config.ts';
import { DAY, type Instant, toIso } from '../../lib/time.ts';
import type { GeoipFile } from '../../model/rules/geoip.ts';
import { readGeoipStatus } from '../../server/geoipStatus.ts';
import { type Check, failed, passed, warning } from './check.ts';

/** Vendors publish new files every week or month; older files assign many addresses to earlier owners. */
const OLD = 180 * DAY;

const REPLACE = 'Set POSTERN_GEOIP_FILES to files in the MaxMind DB format (.mmdb) that the server can read.';
const UPDATE = 'Download the current file from its vendor; the server reads it when it changes.';

/** Checks each GeoIP file. @returns no checks without files */
export async function checkGeoip(
  { geoipFiles = [] }: Partial<Pick<Config, 'geoipFiles'>>,
  now: Instant,
): Promise<readonly Check[]> {
  const { files } = await readGeoipStatus(geoipFiles);
  return files.map((file) => checkFile(file, now));
}

function checkFile({ path, type, builtAt, failure }: GeoipFile, now: Instant): Check {
  if (builtAt === undefined) return failed('geoip', `${path}: ${failure}`, REPLACE);
  const detail = `${path}: ${type}, built at ${toIso(builtAt)}`;
  return builtAt < now - OLD ? warning('geoip', detail, UPDATE) : passed('geoip', detail);
}
