import { type FileHandle, open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { Reader } from 'mmdb-lib';
import type { Instant } from '../lib/time.ts';
import type { GeoipFacts } from '../model/rules/geoip.ts';

/** A file in the MaxMind DB format (https://maxmind.github.io/MaxMind-DB/) in memory. */
export type GeoipDatabase = {
  /** The type in its metadata, such as `GeoLite2-Country`. */
  readonly type: string;
  readonly builtAt: Instant;
  /** Whether its type is one with countries, or ASNs, or a sample has one. */
  readonly hasCountries: boolean;
  readonly hasAsns: boolean;
  /** @param address IPv4 or IPv6 @returns undefined members if the file does not contain them @throws if the file is damaged */
  readonly find: (address: string) => GeoipFacts;
};

/** The content of a file that has not changed since `version` was determined. */
export type GeoipContent = { readonly version: string; readonly bytes: SharedArrayBuffer };

/** Files are kept in memory. The largest files with countries and ASNs have about 100 MB. */
const MAX_BYTES = 512 * 1024 ** 2;
/** The metadata is in the last 128 KiB of a file. */
const METADATA_MAX_BYTES = 128 * 1024;
const METADATA_MARKER = Buffer.from('ABCDEF4D61784D696E642E636F6D', 'hex');
/** Decoded records in memory; files have one for each country or autonomous system. */
const RECORD_CAPACITY = 4096;
/** Addresses that are looked up when a file is loaded, to detect damage. */
const SAMPLES = ['1.1.1.1', '8.8.8.8', '192.0.2.1', '203.0.113.254'];
const IPV6_SAMPLES = ['2001:4860:4860::8888', '2606:4700:4700::1111', 'ff00::1'];

/**
 * Reads a file whose version is not the known one.
 *
 * @param known the version of the last read; undefined for the first one
 * @returns undefined if the file has not changed
 * @throws if the file cannot be read, is too large, or changes while it is read
 */
export async function readGeoipFile(
  path: string,
  known: string | undefined,
): Promise<GeoipContent | undefined> {
  const file = await open(path);
  try {
    const versionOf = async () => {
      const { mtimeMs, size, ino } = await file.stat();
      return { version: `${ino} ${size} ${mtimeMs}`, size };
    };
    const { version, size } = await versionOf();
    if (version === known) return undefined;
    if (size > MAX_BYTES) throw new Error('the file is larger than 512 MiB');
    const bytes = await readAll(file, size);
    if ((await versionOf()).version !== version) throw new Error('the file changed while it was read');
    return { version, bytes };
  } finally {
    await file.close();
  }
}

/** Reads a file into memory that threads can share. */
async function readAll(file: FileHandle, size: number): Promise<SharedArrayBuffer> {
  const bytes = new SharedArrayBuffer(size);
  const target = Buffer.from(bytes);
  for (let read = 0; read < size; ) {
    const { bytesRead } = await file.read(target, read, size - read, read);
    if (bytesRead === 0) throw new Error('the file changed while it was read');
    read += bytesRead;
  }
  return bytes;
}

/** @throws if the bytes are not a complete MaxMind DB file */
export function openGeoipDatabase(bytes: Buffer): GeoipDatabase {
  if (bytes.lastIndexOf(METADATA_MARKER) < Math.max(0, bytes.length - METADATA_MAX_BYTES)) {
    throw new Error('the file is not a complete MaxMind DB file');
  }
  // `maxSize`, because `max` allocates all memory immediately.
  const cache = new LRUCache<number | string, object>({ maxSize: RECORD_CAPACITY, sizeCalculation: () => 1 });
  const reader = new Reader<never>(bytes, { cache });
  const { metadata } = reader;
  if (metadata.searchTreeSize > bytes.length) throw new Error('the file is not complete');
  const find = (address: string): GeoipFacts => {
    if (metadata.ipVersion === 4 && address.includes(':')) return { country: undefined, asn: undefined };
    const record: unknown = reader.get(address);
    return { country: countryIn(record), asn: asnIn(record) };
  };
  const samples = (metadata.ipVersion === 4 ? SAMPLES : [...SAMPLES, ...IPV6_SAMPLES]).map(find);
  const type = metadata.databaseType;
  return {
    type,
    builtAt: metadata.buildEpoch.getTime() as Instant,
    hasCountries:
      /country|city|enterprise/i.test(type) || samples.some(({ country }) => country !== undefined),
    hasAsns: /asn|isp|enterprise/i.test(type) || samples.some(({ asn }) => asn !== undefined),
    find,
  };
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null;
  return isObject ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/**
 * Reads the country of a record. MaxMind and DB-IP store `country.iso_code`, and MaxMind `registered_country.iso_code` for addresses
 * whose country of use is unknown; IPinfo stores `country_code` or a code in `country`.
 */
function countryIn(record: unknown): string | undefined {
  const candidates = [
    memberOf(memberOf(record, 'country'), 'iso_code'),
    memberOf(record, 'country_code'),
    memberOf(record, 'country'),
    memberOf(memberOf(record, 'registered_country'), 'iso_code'),
  ];
  return candidates.find((code): code is string => typeof code === 'string' && /^[A-Z]{2}$/.test(code));
}

/** Reads the ASN of a record. MaxMind and DB-IP store a number, and IPinfo a text such as `AS64496`. */
function asnIn(record: unknown): number | undefined {
  const number = memberOf(record, 'autonomous_system_number');
  if (typeof number === 'number') return number;
  const text = memberOf(record, 'asn');
  const digits = typeof text === 'string' ? /^(?:AS)?(\d{1,10})$/i.exec(text)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
