import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readCertificate } from '../../../../src/acme/certificate.ts';
import { describeProblem } from '../../../../src/acme/problem.ts';
import { formatState, parseState } from '../../../../src/acme/state.ts';
import { packArchive, readArchive } from '../../../../src/backup/archive.ts';
import { decryptIfEncrypted } from '../../../../src/backup/encryption.ts';
import { parseManifest, printManifest } from '../../../../src/backup/manifest.ts';
import { BackupFileError } from '../../../../src/backup/streams.ts';
import { openGeoipDatabase } from '../../../../src/geoip/geoipFile.ts';
import type { Instant } from '../../../../src/lib/time.ts';
import { CERTIFICATE, PRIVATE_KEY } from '../../../cli/certificates.ts';
import { createGeoipFile } from '../../../support/geoipFile.ts';
import { fromBytes, JSON_PUNCTUATION, must, mustEqual, type Target, toBytes } from '../engine/target.ts';

/** Files that an operator provides, and responses of other servers. */

const NETWORKS = {
  '192.0.2.0/24': { country: { iso_code: 'DE', names: { en: 'Germany' } } },
  '198.51.100.0/24': { country: 'AT', asn: 'AS64496' },
  '2001:db8::/32': { autonomous_system_number: 4_200_000_000 },
};
const MARKER = '\xab\xcd\xefMaxMind.com';
const ADDRESSES = ['192.0.2.1', '198.51.100.7', '10.0.0.1', '2001:db8::1', '::1'];
const CLEAR = /^the file is (?:damaged: .|not (?:a )?complete)/;

/** Calls a function whose errors identify the file as the problem. */
function orDamaged<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    must(error instanceof Error && CLEAR.test(error.message), `an unclear error: ${String(error)}`);
    return error.message;
  }
}

const geoip: Target = {
  name: 'geoip',
  kind: 'bytes',
  seeds: [
    createGeoipFile({ '192.0.2.0/28': { country_code: 'FR' } }, { ipVersion: 4 }),
    createGeoipFile(NETWORKS),
    createGeoipFile({ '::/1': { registered_country: { iso_code: 'XK' } }, '8000::/1': 5 }),
  ].map(fromBytes),
  tokens: [
    MARKER,
    '\x1f\x04\xff\xff\xff',
    '\xff\xff\xff\xff',
    '\x5f\xff\xff\xff',
    '\x20\x00',
    '\x09\x04',
    '\x1f',
    'Jnode_count',
    'Krecord_size',
    'Jip_version',
    'Mdatabase_type',
    'Kbuild_epoch',
    'country',
    'iso_code',
  ],
  maxLength: 6000,
  share: 0.2,
  check(input) {
    const database = orDamaged(() => openGeoipDatabase(Buffer.from(input, 'latin1')));
    if (typeof database === 'string') return database;
    const found = ADDRESSES.map((address) => orDamaged(() => database.find(address)));
    for (const facts of found) {
      if (typeof facts === 'string') continue;
      must(facts.country === undefined || /^[A-Z]{2}$/.test(facts.country), `a country: ${facts.country}`);
      must(facts.asn === undefined || typeof facts.asn === 'number', `an ASN: ${facts.asn}`);
    }
    // The cache of records must not change what is found.
    mustEqual(
      ADDRESSES.map((address) => orDamaged(() => database.find(address))),
      found,
      'the second lookup',
    );
    return [database.type, database.builtAt, found];
  },
};

const hashOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
const MANIFEST = {
  program: '0.1.0',
  createdAt: '2026-01-31T12:00:00.000Z',
  files: [
    { name: 'postern.sqlite', schema: 7, bytes: 5, sha256: hashOf('hello') },
    { name: 'claims.sqlite', schema: 1, bytes: 0, sha256: hashOf('') },
  ],
};

const manifest: Target = {
  name: 'manifest',
  kind: 'text',
  seeds: [
    printManifest(MANIFEST),
    printManifest({ ...MANIFEST, files: [] }),
    '{"format":"postern-backup","format_version":2}',
  ],
  tokens: [
    ...JSON_PUNCTUATION,
    'null',
    '1e9',
    '-1',
    '1.5',
    '"files":',
    '"sha256":',
    '"bytes":',
    '"__proto__":{}',
  ],
  check(input) {
    try {
      const parsed = parseManifest(input);
      const text = printManifest(parsed);
      mustEqual(printManifest(parseManifest(text)), text, 'the manifest that was written again');
      return parsed;
    } catch (error) {
      must(error instanceof BackupFileError, `an unclear error: ${String(error)}`);
      return error.message;
    }
  },
};

async function archiveOf(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await Bun.write(`${folder}/${name}`, text);
  return fromBytes(await new Response(packArchive(folder, MANIFEST)).bytes());
}

const folder = mkdtempSync(`${tmpdir()}/postern-fuzz-`);
const ARCHIVE = await archiveOf(folder, { 'postern.sqlite': 'hello', 'claims.sqlite': '' });
rmSync(folder, { recursive: true });

/** The bytes in chunks whose sizes differ from those of the blocks of an archive. */
function streamOf(input: string, size: number): ReadableStream<Uint8Array> {
  const bytes = toBytes(input);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
}

async function readWith(input: string, size: number): Promise<string> {
  const written: string[] = [];
  try {
    const { bytes } = await decryptIfEncrypted(streamOf(input, size), undefined);
    const read = await readArchive(
      bytes,
      () => {},
      async (name) => {
        written.push(name);
        return { write: async (chunk) => written.push(fromBytes(chunk)), close: async () => {} };
      },
    );
    for (const { name } of read.files) must(written.includes(name), `a file was not read: ${name}`);
    return `complete: ${written.join('')}`;
  } catch (error) {
    must(error instanceof BackupFileError, `an unclear error: ${String(error)}`);
    return 'rejected';
  }
}

const TAR_BLOCK = 512;

/** Corrects the checksums of the headers, so that changes reach the parser. */
function withChecksums(input: string): string {
  const bytes = toBytes(input);
  for (let at = 0; at + TAR_BLOCK <= bytes.length; at += TAR_BLOCK) {
    const block = bytes.subarray(at, at + TAR_BLOCK);
    const isHeader = fromBytes(block.subarray(257, 262)) === 'ustar';
    if (!isHeader) continue;
    block.fill(0x20, 148, 156);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.set(Buffer.from(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
  }
  return fromBytes(bytes);
}

const archive: Target = {
  name: 'archive',
  kind: 'bytes',
  seeds: [ARCHIVE, ARCHIVE.slice(0, -1024), ARCHIVE.slice(0, 700), 'age-encryption.org/v1\n-> scrypt'],
  tokens: [
    'ustar\x0000',
    'manifest.json',
    'postern.sqlite',
    '\0'.repeat(512),
    '00000000005',
    '\x80\0\0\0',
    '27 path=x\n',
    'x',
    'g',
    'L',
    '5',
    '2',
  ],
  maxLength: 16_384,
  share: 0.02,
  cost: { fixed: 100_000, perCharacter: 60 },
  mutate(input, other, mutate) {
    return withChecksums(mutate(input, other));
  },
  async check(input) {
    const results = [await readWith(input, 512), await readWith(input, 100_000)];
    mustEqual(results[1], results[0], 'the result with other chunks');
    return results;
  },
};

const certificate: Target = {
  name: 'certificate',
  kind: 'latin1',
  seeds: [CERTIFICATE + PRIVATE_KEY, PRIVATE_KEY + CERTIFICATE + CERTIFICATE],
  tokens: [
    '-----BEGIN ',
    '-----END ',
    'CERTIFICATE-----',
    'PRIVATE KEY-----',
    'EC ',
    'RSA ',
    '\n',
    'MII',
    '==',
  ],
  share: 0.05,
  check(input) {
    try {
      const { key, chain, notBefore, notAfter, fraction } = readCertificate(input);
      must(input.includes(key.trim()), 'a key that the file does not contain');
      must(fraction >= 0 && fraction < 1 && notBefore < notAfter, 'the fraction or the times');
      return [key, chain];
    } catch (error) {
      // The only documented result for an invalid file.
      must(error instanceof Error && error.message !== '', `an unclear error: ${String(error)}`);
      return error.message;
    }
  },
};

const NOW = 1_800_000_000_000 as Instant;
const STATE = {
  domains: ['example.com'],
  failures: 2,
  attemptedAt: NOW,
  nextAttemptAt: (NOW + 1000) as Instant,
  problem: 'x',
  detail: 'y',
};

const acme: Target = {
  name: 'acme',
  kind: 'text',
  seeds: [
    formatState(STATE),
    formatState({ ...STATE, attemptedAt: (NOW + 1e9) as Instant, nextAttemptAt: (NOW + 2e9) as Instant }),
    '{"type":"urn:ietf:params:acme:error:dns","detail":"x\\n","subproblems":[{"detail":"y","identifier":{"value":"z"}},null]}',
  ],
  tokens: [
    ...JSON_PUNCTUATION,
    'null',
    '"detail":',
    '"subproblems":',
    '"identifier":{"value":',
    '"failures":',
    '1e400',
    '\\u0007',
  ],
  check(input) {
    const state = parseState(input, NOW);
    if (state !== undefined) {
      const text = formatState(state);
      mustEqual(formatState(parseState(text, NOW) ?? STATE), text, 'the written state');
    }
    let value: unknown;
    try {
      value = JSON.parse(input);
    } catch {
      // The client also describes a response without a JSON document.
    }
    const { type, detail } = describeProblem(value, 'fallback');
    must(type.length <= 500 && !/\p{Cc}/u.test(type), 'the type of a problem');
    return { state, type, detail };
  },
};

export const FILE_TARGETS: readonly Target[] = [geoip, manifest, archive, certificate, acme];
