import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import path from '../static/commonPasswords.txt.gz' with { type: 'file' };
import type { IsCommon } from './model/newPassword.ts';

/**
 * Reads the embedded list of common passwords (52 kB, 141 kB decompressed, about 1 ms). The list is not cached, because
 * passwords are set rarely.
 */
export function readCommonPasswords(): IsCommon {
  const list = `\n${gunzipSync(readFileSync(path)).toString()}`;
  return (folded) => !folded.includes('\n') && list.includes(`\n${folded}\n`);
}
