import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { loadNativeCode } from '../../server/nativeCode.ts';
import { type Check, failed, passed } from './check.ts';
import { findMount, readMounts } from './fileSystems.ts';

/** Checks that the native library for password hashes can be loaded. The executable unpacks it into the temporary folder. */
export async function checkNativeCode(): Promise<Check> {
  const name = 'native-code';
  const folder = tmpdir();
  try {
    await loadNativeCode();
    return passed(name, `password hashes can be computed; the temporary folder is ${folder}`);
  } catch {
    return failed(
      name,
      `passwords cannot be set or checked, because the native library could not be loaded: ${findReason(folder)}`,
      'Set TMPDIR to a folder that is writable and not mounted noexec, for example the data folder.',
    );
  }
}

function findReason(folder: string): string {
  const temporary = `the temporary folder ${folder}`;
  if (!existsSync(folder)) return `${temporary} does not exist`;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return `${temporary} cannot be written by this user`;
  }
  const { options } = findMount(folder, readMounts());
  if (options.includes('noexec')) return `${temporary} is mounted noexec`;
  return `${temporary} is full or mounted noexec, or the library libgcc_s is not installed`;
}
