import { createPrivateKey, X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { reasonOf } from '../lib/log.ts';
import { DAY, type Instant, isoOf, MINUTE } from '../lib/time.ts';
import { createLookUp, inspectDatabase, sizesOf } from '../server/services.ts';

/** One look at the surroundings. A warning is well, but worth reading. */
export type Check = {
  readonly name: string;
  readonly ok: boolean;
  readonly isWarning: boolean;
  readonly detail: string;
};

export function well(name: string, detail: string): Check {
  return { name, ok: true, isWarning: false, detail };
}

export function warning(name: string, detail: string): Check {
  return { name, ok: true, isWarning: true, detail };
}

export function failure(name: string, detail: string): Check {
  return { name, ok: false, isWarning: false, detail };
}

const MIB = 1024 ** 2;
const LEAST_FREE = 64 * MIB;
const AMPLE_FREE = 1024 * MIB;

/** File systems of other machines by the number that Linux gives them (statfs(2)); FUSE is mostly one. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x786f4256, 'a shared folder of VirtualBox'],
]);

/** The folder itself, its file system and its database. Nothing is made or written. */
export function checkDataFolder(dataDir: string, now: Instant): readonly Check[] {
  const folder = resolve(dataDir);
  const access = attempt('data-folder', () => checkAccess(folder));
  if (!access.ok) return [access];
  const existing = nearestExisting(folder);
  return [
    access,
    attempt('file-system', () => checkFileSystem(existing)),
    attempt('free-space', () => checkFreeSpace(existing)),
    attempt('database', () => checkDatabase(folder)),
    attempt('data-size', () => checkDataSize(folder)),
    attempt('clock', () => checkClock(folder, now)),
  ];
}

function checkAccess(folder: string): Check {
  const existing = nearestExisting(folder);
  if (!statSync(existing).isDirectory()) return failure('data-folder', `${existing} is not a folder`);
  accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  return well('data-folder', existing === folder ? folder : `${folder} will be made by the first start`);
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function checkFileSystem(folder: string): Check {
  const network = NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type >>> 0);
  if (network === undefined) return well('file-system', 'local');
  return warning(
    'file-system',
    `${network}: SQLite needs locks and shared memory that file systems over a network seldom give; use a local disk`,
  );
}

function checkFreeSpace(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${Math.floor(free / MIB)} MiB`;
  if (free < LEAST_FREE) return failure('free-space', `${detail}: claims cannot be kept on a full disk`);
  return free < AMPLE_FREE ? warning('free-space', detail) : well('free-space', detail);
}

function checkDatabase(folder: string): Check {
  const found = inspectDatabase(folder);
  if (found === undefined) return well('database', 'not there yet');
  const { version, newestVersion } = found;
  const detail = `schema version ${version}`;
  if (version > newestVersion) {
    return failure('database', `${detail}, but this Postern knows up to ${newestVersion}; run a newer one`);
  }
  if (version === newestVersion) return well('database', detail);
  return well('database', `${detail}, which the next start brings to ${newestVersion}`);
}

/** Nothing is wrong with any size; it is told. */
function checkDataSize(folder: string): Check {
  const files = sizesOf(folder).map(({ name, sizeBytes }) => `${name} ${(sizeBytes / MIB).toFixed(1)} MiB`);
  return well('data-size', files.length === 0 ? 'nothing yet' : files.join(', '));
}

/** Older than this program: no clock that was ever set. */
const NEWEST_KNOWN_PAST = Date.UTC(2026, 0, 1);

function checkClock(folder: string, now: Instant): Check {
  const detail = isoOf(now);
  if (now < NEWEST_KNOWN_PAST) return failure('clock', `${detail} is in the past; puzzles live by the clock`);
  const lastWriteAt = inspectDatabase(folder)?.lastWriteAt;
  if (lastWriteAt !== undefined && lastWriteAt > now + MINUTE) {
    return failure('clock', `${detail} is before the database was last written, ${isoOf(lastWriteAt)}`);
  }
  return well('clock', detail);
}

const EXPIRES_SOON = 14 * DAY;

/** @param host the name that visitors use, where it is known */
export function checkTls(certFile: string, keyFile: string, host: string | undefined, now: Instant): Check {
  return attempt('tls', () => {
    const certificate = readPem(certFile, 'certificate', (pem) => new X509Certificate(pem));
    const key = readPem(keyFile, 'private key', createPrivateKey);
    if (!certificate.checkPrivateKey(key)) return failure('tls', `${keyFile} is not the key of ${certFile}`);
    const until = Date.parse(certificate.validTo);
    const detail = `valid until ${isoOf(until as Instant)}`;
    if (Date.parse(certificate.validFrom) > now) return failure('tls', 'the certificate is not valid yet');
    if (until <= now) return failure('tls', `the certificate was ${detail}`);
    if (until <= now + EXPIRES_SOON) return warning('tls', detail);
    if (host !== undefined && certificate.checkHost(host) === undefined) {
      return warning('tls', `${detail}, but not for ${host}, the host of the base URL`);
    }
    return well('tls', detail);
  });
}

function readPem<T>(file: string, what: string, read: (pem: Buffer) => T): T {
  const pem = readFileSync(file);
  try {
    return read(pem);
  } catch (cause) {
    throw new Error(`${file} holds no ${what} that can be read: ${reasonOf(cause)}`, { cause });
  }
}

/** Reserved for examples (RFC 2606), and there wherever the DNS of the world is. */
const ANY_DOMAIN = 'example.com';

/** Do the servers answer, that a property's domain is looked up with? That there is no such domain is an answer. */
export async function checkDns(config: Config | undefined): Promise<Check> {
  if (config === undefined) return well('dns', 'not asked while settings are wrong');
  const lookUp = createLookUp(config);
  if (lookUp === undefined) return well('dns', 'not used');
  const servers = config.dnsServers?.join(', ') ?? 'the servers of the system';
  const { resolution } = await lookUp(ANY_DOMAIN);
  if (resolution !== 'unanswered') return well('dns', `${servers}: answered`);
  return warning(
    'dns',
    `${servers}: no answer in ${config.dnsTimeoutMs} ms; new domains are rejected until they answer or POSTERN_DNS_CHECK is off`,
  );
}

/** Runs one check; what it throws is its failure. */
function attempt(name: string, look: () => Check): Check {
  try {
    return look();
  } catch (error) {
    return failure(name, reasonOf(error));
  }
}
