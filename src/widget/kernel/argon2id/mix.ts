// AssemblyScript.

/** The multiplication of argon2 (RFC 9106, section 3.6). @returns a + b + 2 times the product of their low halves */
// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function mix(a: u64, b: u64): u64 {
  return a + b + (((a & 0xffffffff) * (b & 0xffffffff)) << 1);
}
