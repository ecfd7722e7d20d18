import { createGeoip } from '../geoip/geoip.ts';
import type { GeoipStatus } from '../model/rules/geoip.ts';

/** Reads GeoIP files, and returns their state. */
export async function readGeoipStatus(paths: readonly string[]): Promise<GeoipStatus> {
  const geoip = createGeoip(paths, { info() {}, error() {} });
  await geoip.load();
  return geoip.status();
}
