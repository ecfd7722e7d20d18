import { loadArgon2 } from '../argon2.ts';

/** Loads the native library for argon2 hashes, as a server does when it checks a password. @throws if it cannot be loaded */
export async function loadNativeCode(): Promise<void> {
  await loadArgon2();
}
