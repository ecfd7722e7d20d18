import { isCount, isObject } from '../lib/json.ts';
import { instantFromIso } from '../lib/time.ts';
import { BackupFileError } from './streams.ts';

/** The newest format of backup files that this program writes and reads. */
const FORMAT_VERSION = 1;

/** The name of the first entry of a backup file. */
export const MANIFEST_NAME = 'manifest.json';
/** Maximum size of a manifest in bytes; its actual size is less than 1000. */
export const MAX_MANIFEST_BYTES = 65_536;

export type ManifestFile = {
  readonly name: string;
  readonly schema: number;
  readonly bytes: number;
  /** 64 lowercase hexadecimal digits. */
  readonly sha256: string;
};

/** Describes the other files of a backup. */
export type Manifest = {
  /** The version of Postern that created the backup. */
  readonly program: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** In the order of the archive; the main database is the first one. */
  readonly files: readonly ManifestFile[];
};

/** @returns the manifest as JSON */
export function printManifest({ program, createdAt, files }: Manifest): string {
  const format = { format: 'postern-backup', format_version: FORMAT_VERSION };
  return `${JSON.stringify({ ...format, program, created_at: createdAt, files }, null, 2)}\n`;
}

/** @throws BackupFileError if the text is not a manifest, or its format version is newer */
export function parseManifest(text: string): Manifest {
  const { format, format_version: version, program, created_at: createdAt, files } = parseObject(text);
  if (format !== 'postern-backup') throw new BackupFileError('the manifest has an unknown format');
  if (version !== FORMAT_VERSION) {
    throw new BackupFileError(
      `the format version is ${JSON.stringify(version)}, but this version of Postern supports only ${FORMAT_VERSION}; use a newer version`,
    );
  }
  const isValid =
    typeof program === 'string' && isTime(createdAt) && Array.isArray(files) && files.every(isManifestFile);
  if (!isValid) throw new BackupFileError('the manifest is invalid');
  return { program, createdAt, files };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw new BackupFileError('the manifest is not a JSON object');
}

function isManifestFile(value: unknown): value is ManifestFile {
  if (!isObject(value)) return false;
  const { name, schema, bytes, sha256 } = value;
  return (
    typeof name === 'string' &&
    isCount(schema) &&
    isCount(bytes) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256)
  );
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && instantFromIso(value) !== undefined;
}
