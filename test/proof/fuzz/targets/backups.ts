import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Encrypter } from 'age-encryption';
import { packArchive, readArchive } from '../../../../src/backup/archive.ts';
import { decryptIfEncrypted } from '../../../../src/backup/encryption.ts';
import { type Manifest, parseManifest, printManifest } from '../../../../src/backup/manifest.ts';
import { restoreBackup } from '../../../../src/backup/restoreBackup.ts';
import { BackupFileError } from '../../../../src/backup/streams.ts';
import type { BackupEngine } from '../../../../src/storage/storage.ts';
import { fromBytes, JSON_PUNCTUATION, must, mustEqual, type Target, toBytes } from '../engine/target.ts';

/** Backups. */

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

/** Archives of a folder with these files, and the folder of restored data. */
const folder = mkdtempSync(`${tmpdir()}/postern-fuzz-`);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

async function archiveOf(files: Readonly<Record<string, string>>, manifest: Manifest): Promise<string> {
  for (const [name, text] of Object.entries(files)) await Bun.write(`${folder}/${name}`, text);
  return fromBytes(await new Response(packArchive(folder, manifest)).bytes());
}

const ARCHIVE = await archiveOf({ 'postern.sqlite': 'hello', 'claims.sqlite': '' }, MANIFEST);

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

const PASSPHRASE = 'correct horse battery staple';

/** Encrypts a text with little work, and with the same random numbers each time, so that runs can be repeated. */
async function encrypted(text: string): Promise<string> {
  const { getRandomValues } = crypto;
  crypto.getRandomValues = (array) => {
    if (array instanceof Uint8Array) array.fill(7);
    return array;
  };
  try {
    const encrypter = new Encrypter();
    encrypter.setPassphrase(PASSPHRASE);
    encrypter.setScryptWorkFactor(1);
    return fromBytes(await encrypter.encrypt(toBytes(text)));
  } finally {
    crypto.getRandomValues = getRandomValues;
  }
}

/** Longer than a chunk of age (64 KiB), so that damage can follow a part that was decrypted already. */
const LONG = 'postern '.repeat(9000);
const LONG_MANIFEST: Manifest = {
  ...MANIFEST,
  files: [{ name: 'postern.sqlite', schema: 7, bytes: LONG.length, sha256: hashOf(LONG) }],
};
const ENCRYPTED = await encrypted(ARCHIVE);
const LONG_ENCRYPTED = await encrypted(await archiveOf({ 'postern.sqlite': LONG }, LONG_MANIFEST));

/** What `postern restore` needs of an engine: the restored files replace those of the data folder, which is empty. */
function engineWith(replace: (staging: string) => void): BackupEngine {
  return {
    lock: () => ({ release() {} }),
    newestSchemas: { 'postern.sqlite': 7, 'claims.sqlite': 1 },
    check() {},
    replace(dataDir: string, staged: string) {
      replace(`${dataDir}/${staged}`);
      return false;
    },
  } as unknown as BackupEngine;
}

/** @returns the restored files, or `rejected` */
async function restored(input: string, size: number): Promise<string> {
  const dataDir = `${folder}/data`;
  let found = '';
  const read = (staging: string) => {
    found = ['postern.sqlite', 'claims.sqlite']
      .map((name) => `${staging}/${name}`)
      .filter(existsSync)
      .map((file) => readFileSync(file, 'latin1'))
      .join();
  };
  try {
    const backup = streamOf(input, size);
    const options = { engine: engineWith(read), dataDir, backup, passphrase: PASSPHRASE, isForced: false };
    await restoreBackup({ ...options, prepare: async () => {} });
    return `complete: ${found}`;
  } catch (error) {
    must(error instanceof BackupFileError && error.message !== '', `an unclear error: ${String(error)}`);
    must(found === '' && !existsSync(dataDir), 'a part of the backup was restored');
    return 'rejected';
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The work factor of a header. From 11 to 20, scrypt takes 2 MB to 1 GiB and up to several seconds; age rejects more. */
const WORK_FACTOR = /^-> scrypt \S+ (1[1-9]|20)$/m;
const COMPLETE = ['complete: hello,', `complete: ${LONG}`];

const encryptedBackup: Target = {
  name: 'encrypted-backup',
  kind: 'bytes',
  seeds: [ENCRYPTED, LONG_ENCRYPTED, ENCRYPTED.slice(0, -1), LONG_ENCRYPTED.slice(0, 66_000)],
  tokens: [
    'age-encryption.org/v1\n',
    '-> scrypt ',
    '-> X25519 ',
    '--- ',
    '\n',
    ' 1\n',
    ' 9\n',
    '\0'.repeat(16),
  ],
  maxLength: 80_000,
  share: 0.02,
  cost: { fixed: 100_000, perCharacter: 60 },
  async check(input) {
    if (WORK_FACTOR.test(input.slice(0, 500))) return 'slow';
    const results = [await restored(input, 512), await restored(input, 100_000)];
    mustEqual(results[1], results[0], 'the result with other chunks');
    must(results[0] === 'rejected' || COMPLETE.includes(results[0] ?? ''), 'a changed backup was restored');
    return results[0]?.length;
  },
};

export const BACKUP_TARGETS: readonly Target[] = [manifest, archive, encryptedBackup];
