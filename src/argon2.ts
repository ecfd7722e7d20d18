/**
 * Loads the library `@node-rs/argon2` when it is first needed, because its native part is unpacked into the temporary folder.
 *
 * @throws an error that tells the operator what to do; the library's own message is about npm
 */
export async function loadArgon2() {
  try {
    return await import('@node-rs/argon2');
  } catch (cause) {
    const requirements =
      'the temporary folder (TMPDIR, else /tmp) must be writable and not mounted noexec, and libgcc_s must be installed';
    throw new Error(
      `argon2 hashes cannot be computed here, because the native library was not loaded: ${requirements}`,
      { cause },
    );
  }
}
