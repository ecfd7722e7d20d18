import { Decrypter, Encrypter } from 'age-encryption';
import { reasonOf } from '../lib/log.ts';
import { BackupFileError, type Bytes, splitStart } from './streams.ts';

/** The first bytes of every file in the age format (https://age-encryption.org/v1). */
const AGE_START = new TextEncoder().encode('age-encryption.org/');

/** The header of a file with a passphrase has about 150 bytes. Without this limit, age reads a damaged file into memory. */
const MAX_HEADER_BYTES = 1024;
/** The start of the last line of the header. */
const HEADER_END = '\n--- ';

/**
 * The work factor of scrypt: N = 2^17 with r = 8 and p = 1, which OWASP's Password Storage Cheat Sheet recommends. It takes 128 MiB.
 * The default of age is 2^18, which takes twice as much memory.
 */
const WORK_FACTOR = 17;

/** Encrypts a stream with a passphrase in the age format. Memory use does not depend on the length of the stream. */
export async function encrypt(bytes: Bytes, passphrase: string): Promise<Bytes> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  return encrypter.encrypt(bytes);
}

/**
 * Decrypts a stream if it is encrypted. The decrypted stream fails if the file was changed or truncated.
 *
 * @throws BackupFileError if the passphrase is missing or wrong, or the header is damaged
 */
export async function decryptIfEncrypted(
  bytes: Bytes,
  passphrase: string | undefined,
): Promise<{ readonly isEncrypted: boolean; readonly bytes: Bytes }> {
  const { start, whole } = await splitStart(bytes, MAX_HEADER_BYTES);
  if (!AGE_START.every((byte, at) => start[at] === byte)) return { isEncrypted: false, bytes: whole };
  if (passphrase === undefined) {
    throw new BackupFileError(
      'the file is encrypted; set POSTERN_BACKUP_PASSPHRASE_FILE or use --passphrase-file',
    );
  }
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    if (!Buffer.from(start).subarray(0, MAX_HEADER_BYTES).includes(HEADER_END))
      throw new Error('the header is incomplete or too long');
    return { isEncrypted: true, bytes: await decrypter.decrypt(whole) };
  } catch (cause) {
    throw new BackupFileError(
      `the file cannot be decrypted: the passphrase is wrong, or the file is damaged (${reasonOf(cause)})`,
      { cause },
    );
  }
}
