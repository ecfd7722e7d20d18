import { type FileHandle, open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { Reader } from 'mmdb-lib';
import { reasonOf } from '../lib/log.ts';
import type { Instant } from '../lib/time.ts';
import type { GeoipFacts } from '../model/rules/countries.ts';
import { checkValue, damaged, type Section } from './checkValue.ts';

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
/** The metadata is a map. */
const METADATA_TYPE = 7;
/** Between the search tree and the data. */
const SEPARATOR_BYTES = 16;
/** Approximate size of the decoded records in memory. Files have one for each country or autonomous system; 250 countries take 0.6 MB. */
const RECORD_CACHE_BYTES = 4 * 1024 ** 2;
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

/**
 * Opens a file. Whatever the file contains, this takes little memory and time, and so does a lookup.
 *
 * @throws if the bytes are not a complete MaxMind DB file
 */
export function openGeoipDatabase(bytes: Buffer): GeoipDatabase {
  const reader = openReader(bytes);
  const { metadata } = reader;
  const find = (address: string): GeoipFacts => {
    if (metadata.ipVersion === 4 && address.includes(':')) return { country: undefined, asn: undefined };
    const record: unknown = withDamage(() => reader.get(address));
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

function openReader(bytes: Buffer): Reader<never> {
  const metadataStart = findMetadata(bytes);
  checkValue({ bytes, start: metadataStart, end: bytes.length }, metadataStart);
  let data: Section = { bytes, start: 0, end: 0 };
  const records = new LRUCache<number, object>({ maxSize: RECORD_CACHE_BYTES });
  // The reader looks for each record in the cache before it decodes the record, so `get` checks it.
  const cache = {
    get(offset: number | string): object | undefined {
      const known = records.get(Number(offset));
      if (known === undefined) checkValue(data, Number(offset));
      return known;
    },
    set(offset: number | string, record: object): void {
      records.set(Number(offset), record, { size: checkValue(data, Number(offset)) });
    },
  };
  const reader = withDamage(() => new Reader<never>(bytes, { cache }));
  data = { bytes, start: checkMetadata(reader, metadataStart), end: metadataStart };
  return reader;
}

/** @returns the offset of the metadata @throws if there is none */
function findMetadata(bytes: Buffer): number {
  const tail = bytes.subarray(-METADATA_MAX_BYTES);
  const found = tail.lastIndexOf(METADATA_MARKER);
  if (found < 0) throw new Error('the file is not a complete MaxMind DB file');
  const offset = bytes.length - tail.length + found + METADATA_MARKER.length;
  const first = bytes[offset] ?? 0;
  // mmdb-lib does not find a marker that is followed by a part of itself, and would use metadata that was not checked.
  if (first >> 5 !== METADATA_TYPE || METADATA_MARKER.includes(first))
    throw damaged('its metadata is not a map');
  return offset;
}

/** @returns the start of the data section @throws if the metadata is invalid */
function checkMetadata({ metadata }: Reader<never>, metadataStart: number): number {
  const { nodeCount, ipVersion, databaseType, buildEpoch, searchTreeSize } = metadata;
  if (!Number.isSafeInteger(nodeCount) || nodeCount < 1) throw damaged('its number of nodes is invalid');
  if (ipVersion !== 4 && ipVersion !== 6) throw damaged('its IP version is neither 4 nor 6');
  if (typeof databaseType !== 'string') throw damaged('its type is not a text');
  if (Number.isNaN(buildEpoch.getTime())) throw damaged('its build time is invalid');
  const dataStart = searchTreeSize + SEPARATOR_BYTES;
  if (dataStart > metadataStart - METADATA_MARKER.length) throw new Error('the file is not complete');
  return dataStart;
}

/** Runs a function of mmdb-lib, whose errors do not say that the file is the problem. */
function withDamage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Error && error.message.startsWith('the file ') ? error : damaged(reasonOf(error));
  }
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
