import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { loadArgon2 } from '../../argon2.ts';
import type { Config } from '../../config.ts';
import { createGeoip } from '../../geoip/geoip.ts';
import { DAY, type Instant, toIso } from '../../lib/time.ts';
import type { GeoipFile } from '../../model/rules/countries.ts';
import { FILE_LIMIT_FIX, RECOMMENDED_FILES, REQUIRED_FILES, readFileLimit } from '../startChecks.ts';
import { type Check, type Finding, failed, passed, warning } from './check.ts';
import { findMount, readMounts } from './fileSystems.ts';

/** Checks how many files, which include connections, this process can open. The limit of a service may differ. */
export function checkFileLimit(): Finding {
  const limit = readFileLimit();
  if (limit === undefined) return passed('not known on this system, or unlimited');
  const detail = `${limit} open files and connections`;
  if (limit < REQUIRED_FILES) return failed(`${detail}; a server needs ${REQUIRED_FILES}`, FILE_LIMIT_FIX);
  if (limit >= RECOMMENDED_FILES) return passed(detail);
  return warning(`${detail}; the recommended limit is ${RECOMMENDED_FILES}`, FILE_LIMIT_FIX);
}

/** Checks that the native library for password hashes can be loaded. The executable unpacks it into the temporary folder. */
export async function checkNativeCode(): Promise<Finding> {
  const folder = tmpdir();
  try {
    await loadArgon2();
    return passed(`password hashes can be computed; the temporary folder is ${folder}`);
  } catch {
    return failed(
      `passwords cannot be set or checked, because the native library could not be loaded: ${findReason(folder)}`,
      'Set TMPDIR to a folder that is writable and not mounted noexec, for example the data folder.',
    );
  }
}

function findReason(folder: string): string {
  const temporary = `the temporary folder ${folder}`;
  if (!existsSync(folder)) return `${temporary} does not exist`;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return `${temporary} cannot be written by this user`;
  }
  const { options } = findMount(folder, readMounts());
  if (options.includes('noexec')) return `${temporary} is mounted noexec`;
  return `${temporary} is full or mounted noexec, or the library libgcc_s is not installed`;
}

/** Vendors publish new files every week or month; older files assign many addresses to earlier owners. */
const OLD = 180 * DAY;

const REPLACE = 'Set POSTERN_GEOIP_FILES to files in the MaxMind DB format (.mmdb) that the server can read.';
const UPDATE = 'Download the current file from its vendor; the server reads it when it changes.';

/** Checks each GeoIP file. @returns no checks without files */
export async function checkGeoip(
  { geoipFiles = [] }: Partial<Pick<Config, 'geoipFiles'>>,
  now: Instant,
): Promise<readonly Check[]> {
  const geoip = createGeoip(geoipFiles, { info() {}, error() {} });
  await geoip.load();
  return geoip.status().files.map((file) => ({ name: 'geoip', ...checkFile(file, now) }));
}

function checkFile({ path, type, builtAt, failure }: GeoipFile, now: Instant): Finding {
  if (builtAt === undefined) return failed(`${path}: ${failure}`, REPLACE);
  const detail = `${path}: ${type}, built at ${toIso(builtAt)}`;
  return builtAt < now - OLD ? warning(detail, UPDATE) : passed(detail);
}
