import { expect, test } from 'bun:test';
import { decryptIfEncrypted } from '../../src/backup/encryption.ts';
import { reasonOf } from '../../src/lib/log.ts';

/** A stream that begins with a text and continues with zeros. */
function zerosAfter(start: string) {
  let pulled = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = pulled === 0 ? new TextEncoder().encode(start) : new Uint8Array(10_000);
      pulled += chunk.length;
      controller.enqueue(chunk);
      if (pulled > 10_000_000) controller.close();
    },
  });
  return { stream, pulled: () => pulled };
}

// After a crash, the rest of a file can be zeros. The whole file was read into memory, as one line of the header.
test.each(['age-encryption.org/', 'age-encryption.org/v1\n-> scrypt '])(
  'an encrypted backup whose header has no end is rejected after its first bytes: %j',
  async (start) => {
    const { stream, pulled } = zerosAfter(start);
    const reason = await decryptIfEncrypted(stream, 'correct horse battery staple').then(String, reasonOf);
    expect(reason).toBe(
      'the file cannot be decrypted: the passphrase is wrong, or the file is damaged (the header is incomplete or too long)',
    );
    expect(pulled()).toBeLessThan(50_000);
  },
);
