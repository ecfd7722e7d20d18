/**
 * Solves challenges of Cap (format 1), as its guide describes them: a token stands for `c` pairs of a salt of `s` and a target of `d` digits,
 * which both sides derive from the token. A solution is a number whose SHA-256 hash, after the salt, begins with the target.
 */

export type CapChallenge = {
  readonly challenge: { readonly c: number; readonly s: number; readonly d: number };
  readonly token: string;
};

export type CapPair = { readonly salt: string; readonly target: string };

/** @returns the pairs of a challenge, in order */
export function capPairs({ challenge: { c, s, d }, token }: CapChallenge): readonly CapPair[] {
  return Array.from({ length: c }, (_, index) => {
    const seed = `${token}${index + 1}`;
    return { salt: digitsOf(seed, s), target: digitsOf(`${seed}d`, d) };
  });
}

/** Hexadecimal digits from a 32-bit xorshift generator (13, 17, 5), whose state is the FNV-1a hash of the seed. */
function digitsOf(seed: string, count: number): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  let digits = '';
  while (digits.length < count) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    digits += (state >>> 0).toString(16).padStart(8, '0');
  }
  return digits.slice(0, count);
}

/** @returns the numbers that solve the challenge, in order */
export function solveCap(challenge: CapChallenge): number[] {
  return capPairs(challenge).map(({ salt, target }) => {
    for (let number = 0; ; number++) {
      if (Bun.SHA256.hash(`${salt}${number}`, 'hex').startsWith(target)) return number;
    }
  });
}
