/**
 * `bun build/passwordList.ts DJANGO ZXCVBN` writes static/commonPasswords.txt.gz from two published lists:
 *
 * - DJANGO: `django/contrib/auth/common-passwords.txt.gz` of Django 5.2.17 (`pip download --no-deps django==5.2.17`)
 * - ZXCVBN: `src/passwords.json` of @zxcvbn-ts/language-common 4.1.3 (`npm pack @zxcvbn-ts/language-common@4.1.3`)
 *
 * Licenses and origin: static/commonPasswords.LICENSE.txt.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD_LENGTH } from '../src/model/account.ts';
import { foldPassword } from '../src/model/newPassword.ts';
import { ROOT } from './build.ts';

/** SHA-256 of the two files in lowercase hexadecimal. */
const SOURCES = {
  django: '3c1baed62596de36860824eb3f436d5932d37ca8b06e59df78f5a44ec175afe4',
  zxcvbn: 'f422773d94d630f27e08b26d7017e847bb1feb2a84809340e9c0b0c47b33e3f1',
} as const;
/** Number of passwords used from the second list, the most common first. The first list is used completely. */
const ZXCVBN_COUNT = 10_000;
const TARGET = join(ROOT, 'static/commonPasswords.txt.gz');

/** @throws if the file does not have the expected hash */
function readSource(path: string, sha256: string): Uint8Array<ArrayBuffer> {
  const contents = new Uint8Array(readFileSync(path));
  const found = new Bun.CryptoHasher('sha256').update(contents).digest('hex');
  if (found !== sha256) throw new Error(`${path} has SHA-256 ${found}, expected ${sha256}`);
  return contents;
}

/** Shorter passwords need no entry, because their length is rejected. */
function hasMinLength(password: string): boolean {
  return [...password].length >= PASSWORD_LENGTH.min;
}

function commonPasswords(djangoPath: string, zxcvbnPath: string): readonly string[] {
  const django = Bun.gunzipSync(readSource(djangoPath, SOURCES.django));
  const zxcvbn: readonly string[] = JSON.parse(
    new TextDecoder().decode(readSource(zxcvbnPath, SOURCES.zxcvbn)),
  );
  const first = new TextDecoder().decode(django).split('\n').map(foldPassword).filter(hasMinLength);
  const second = zxcvbn.map(foldPassword).filter(hasMinLength).slice(0, ZXCVBN_COUNT);
  return [...new Set([...first, ...second])].toSorted();
}

if (import.meta.main) {
  const [djangoPath = '', zxcvbnPath = ''] = process.argv.slice(2);
  const passwords = commonPasswords(djangoPath, zxcvbnPath);
  const packed = Bun.gzipSync(Buffer.from(`${passwords.join('\n')}\n`), { level: 9 });
  writeFileSync(TARGET, packed);
  process.stdout.write(`${TARGET}: ${passwords.length} passwords, ${packed.length} bytes\n`);
}
