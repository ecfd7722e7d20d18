import { H0, LAST_ROUND, ROUND_SIZE, STATE_SIZE } from './blake2b.ts';

/**
 * Computes the part of a BLAKE2b compression (RFC 7693, section 3.2) that depends on word 15, in 32-bit halves.
 *
 * A carry is a comparison converted to an integer: 1.82 million hashes per second in JavaScriptCore and 1.85 in V8 (two shared x64
 * cores). Declined alternatives: 1.4 and 1.9 without `| 0` after the comparison, 0.75 and 1.1 with sums in doubles, 1.05 and 1.25 with
 * carries from bits. BigInt would be much slower.
 *
 * @param words from `prepare` with one copy of each word, plus word 15
 * @param prefix i32, low half of word 15
 * @param counter i32, high half of word 15
 * @returns the first four bytes of the hash as an i32
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: only local variables are fast
export function hash32(words: Int32Array, prefix: number, counter: number): number {
  let t = 0;
  let x = 0;
  let y = 0;
  let lo0 = words[0] as number;
  let hi0 = words[1] as number;
  let lo1 = words[2] as number;
  let hi1 = words[3] as number;
  let lo2 = words[4] as number;
  let hi2 = words[5] as number;
  let lo3 = words[6] as number;
  let hi3 = words[7] as number;
  let lo4 = words[8] as number;
  let hi4 = words[9] as number;
  let lo5 = words[10] as number;
  let hi5 = words[11] as number;
  let lo6 = words[12] as number;
  let hi6 = words[13] as number;
  let lo7 = words[14] as number;
  let hi7 = words[15] as number;
  let lo8 = words[16] as number;
  let hi8 = words[17] as number;
  let lo9 = words[18] as number;
  let hi9 = words[19] as number;
  let lo10 = words[20] as number;
  let hi10 = words[21] as number;
  let lo11 = words[22] as number;
  let hi11 = words[23] as number;
  let lo12 = words[24] as number;
  let hi12 = words[25] as number;
  let lo13 = words[26] as number;
  let hi13 = words[27] as number;
  let lo14 = words[28] as number;
  let hi14 = words[29] as number;
  let lo15 = words[30] as number;
  let hi15 = words[31] as number;
  // The rest of round 0, starting with word 15.
  lo3 = (lo3 + prefix) | 0;
  hi3 = (hi3 + counter + (+(lo3 >>> 0 < prefix >>> 0) | 0)) | 0;
  t = lo14 ^ lo3;
  x = hi14 ^ hi3;
  lo14 = (t >>> 16) | (x << 16);
  hi14 = (x >>> 16) | (t << 16);
  lo9 = (lo9 + lo14) | 0;
  hi9 = (hi9 + hi14 + (+(lo9 >>> 0 < lo14 >>> 0) | 0)) | 0;
  t = lo4 ^ lo9;
  x = hi4 ^ hi9;
  lo4 = (x >>> 31) | (t << 1);
  hi4 = (t >>> 31) | (x << 1);
  // biome-ignore format: one line per sum or rotation
  for (let round = STATE_SIZE; ; round += ROUND_SIZE) {
    // v0 v4 v8 v12
    x = words[round] as number; t = (lo0 + lo4) | 0; lo0 = (t + x) | 0;
    y = ((words[round + 1] as number) + (+(t >>> 0 < lo4 >>> 0) | 0)) | 0;
    hi0 = (((hi0 + hi4) | 0) + y + (+(lo0 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi12 ^ hi0; hi12 = lo12 ^ lo0; lo12 = t;
    lo8 = (lo8 + lo12) | 0; hi8 = (hi8 + hi12 + (+(lo8 >>> 0 < lo12 >>> 0) | 0)) | 0;
    t = lo4 ^ lo8; x = hi4 ^ hi8; lo4 = (t >>> 24) | (x << 8); hi4 = (x >>> 24) | (t << 8);
    x = words[round + 2] as number; t = (lo0 + lo4) | 0; lo0 = (t + x) | 0;
    y = ((words[round + 3] as number) + (+(t >>> 0 < lo4 >>> 0) | 0)) | 0;
    hi0 = (((hi0 + hi4) | 0) + y + (+(lo0 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo12 ^ lo0; x = hi12 ^ hi0; lo12 = (t >>> 16) | (x << 16); hi12 = (x >>> 16) | (t << 16);
    lo8 = (lo8 + lo12) | 0; hi8 = (hi8 + hi12 + (+(lo8 >>> 0 < lo12 >>> 0) | 0)) | 0;
    t = lo4 ^ lo8; x = hi4 ^ hi8; lo4 = (x >>> 31) | (t << 1); hi4 = (t >>> 31) | (x << 1);
    // v1 v5 v9 v13
    x = words[round + 4] as number; t = (lo1 + lo5) | 0; lo1 = (t + x) | 0;
    y = ((words[round + 5] as number) + (+(t >>> 0 < lo5 >>> 0) | 0)) | 0;
    hi1 = (((hi1 + hi5) | 0) + y + (+(lo1 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi13 ^ hi1; hi13 = lo13 ^ lo1; lo13 = t;
    lo9 = (lo9 + lo13) | 0; hi9 = (hi9 + hi13 + (+(lo9 >>> 0 < lo13 >>> 0) | 0)) | 0;
    t = lo5 ^ lo9; x = hi5 ^ hi9; lo5 = (t >>> 24) | (x << 8); hi5 = (x >>> 24) | (t << 8);
    x = words[round + 6] as number; t = (lo1 + lo5) | 0; lo1 = (t + x) | 0;
    y = ((words[round + 7] as number) + (+(t >>> 0 < lo5 >>> 0) | 0)) | 0;
    hi1 = (((hi1 + hi5) | 0) + y + (+(lo1 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo13 ^ lo1; x = hi13 ^ hi1; lo13 = (t >>> 16) | (x << 16); hi13 = (x >>> 16) | (t << 16);
    lo9 = (lo9 + lo13) | 0; hi9 = (hi9 + hi13 + (+(lo9 >>> 0 < lo13 >>> 0) | 0)) | 0;
    t = lo5 ^ lo9; x = hi5 ^ hi9; lo5 = (x >>> 31) | (t << 1); hi5 = (t >>> 31) | (x << 1);
    // v2 v6 v10 v14
    x = words[round + 8] as number; t = (lo2 + lo6) | 0; lo2 = (t + x) | 0;
    y = ((words[round + 9] as number) + (+(t >>> 0 < lo6 >>> 0) | 0)) | 0;
    hi2 = (((hi2 + hi6) | 0) + y + (+(lo2 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi14 ^ hi2; hi14 = lo14 ^ lo2; lo14 = t;
    lo10 = (lo10 + lo14) | 0; hi10 = (hi10 + hi14 + (+(lo10 >>> 0 < lo14 >>> 0) | 0)) | 0;
    t = lo6 ^ lo10; x = hi6 ^ hi10; lo6 = (t >>> 24) | (x << 8); hi6 = (x >>> 24) | (t << 8);
    x = words[round + 10] as number; t = (lo2 + lo6) | 0; lo2 = (t + x) | 0;
    y = ((words[round + 11] as number) + (+(t >>> 0 < lo6 >>> 0) | 0)) | 0;
    hi2 = (((hi2 + hi6) | 0) + y + (+(lo2 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo14 ^ lo2; x = hi14 ^ hi2; lo14 = (t >>> 16) | (x << 16); hi14 = (x >>> 16) | (t << 16);
    lo10 = (lo10 + lo14) | 0; hi10 = (hi10 + hi14 + (+(lo10 >>> 0 < lo14 >>> 0) | 0)) | 0;
    t = lo6 ^ lo10; x = hi6 ^ hi10; lo6 = (x >>> 31) | (t << 1); hi6 = (t >>> 31) | (x << 1);
    // v3 v7 v11 v15
    x = words[round + 12] as number; t = (lo3 + lo7) | 0; lo3 = (t + x) | 0;
    y = ((words[round + 13] as number) + (+(t >>> 0 < lo7 >>> 0) | 0)) | 0;
    hi3 = (((hi3 + hi7) | 0) + y + (+(lo3 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi15 ^ hi3; hi15 = lo15 ^ lo3; lo15 = t;
    lo11 = (lo11 + lo15) | 0; hi11 = (hi11 + hi15 + (+(lo11 >>> 0 < lo15 >>> 0) | 0)) | 0;
    t = lo7 ^ lo11; x = hi7 ^ hi11; lo7 = (t >>> 24) | (x << 8); hi7 = (x >>> 24) | (t << 8);
    x = words[round + 14] as number; t = (lo3 + lo7) | 0; lo3 = (t + x) | 0;
    y = ((words[round + 15] as number) + (+(t >>> 0 < lo7 >>> 0) | 0)) | 0;
    hi3 = (((hi3 + hi7) | 0) + y + (+(lo3 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo15 ^ lo3; x = hi15 ^ hi3; lo15 = (t >>> 16) | (x << 16); hi15 = (x >>> 16) | (t << 16);
    lo11 = (lo11 + lo15) | 0; hi11 = (hi11 + hi15 + (+(lo11 >>> 0 < lo15 >>> 0) | 0)) | 0;
    t = lo7 ^ lo11; x = hi7 ^ hi11; lo7 = (x >>> 31) | (t << 1); hi7 = (t >>> 31) | (x << 1);
    if (round === LAST_ROUND) {
      // Only the part of the last diagonals that the low halves of v0 and v8 need.
      x = words[round + 16] as number; t = (lo0 + lo5) | 0; lo0 = (t + x) | 0;
      y = ((words[round + 17] as number) + (+(t >>> 0 < lo5 >>> 0) | 0)) | 0;
      hi0 = (((hi0 + hi5) | 0) + y + (+(lo0 >>> 0 < x >>> 0) | 0)) | 0;
      t = hi15 ^ hi0; hi15 = lo15 ^ lo0; lo15 = t;
      lo10 = (lo10 + lo15) | 0; hi10 = (hi10 + hi15 + (+(lo10 >>> 0 < lo15 >>> 0) | 0)) | 0;
      t = lo5 ^ lo10; x = hi5 ^ hi10; lo5 = (t >>> 24) | (x << 8); hi5 = (x >>> 24) | (t << 8);
      x = words[round + 24] as number; t = (lo2 + lo7) | 0; lo2 = (t + x) | 0;
      y = ((words[round + 25] as number) + (+(t >>> 0 < lo7 >>> 0) | 0)) | 0;
      hi2 = (((hi2 + hi7) | 0) + y + (+(lo2 >>> 0 < x >>> 0) | 0)) | 0;
      t = hi13 ^ hi2; hi13 = lo13 ^ lo2; lo13 = t;
      lo8 = (lo8 + lo13) | 0; hi8 = (hi8 + hi13 + (+(lo8 >>> 0 < lo13 >>> 0) | 0)) | 0;
      t = lo7 ^ lo8; x = hi7 ^ hi8; lo7 = (t >>> 24) | (x << 8); hi7 = (x >>> 24) | (t << 8);
      x = words[round + 26] as number; t = (lo2 + lo7) | 0; lo2 = (t + x) | 0;
      y = ((words[round + 27] as number) + (+(t >>> 0 < lo7 >>> 0) | 0)) | 0;
      hi2 = (((hi2 + hi7) | 0) + y + (+(lo2 >>> 0 < x >>> 0) | 0)) | 0;
      lo0 = lo0 + lo5 + (words[round + 18] as number);
      lo8 = lo8 + (((lo13 ^ lo2) >>> 16) | ((hi13 ^ hi2) << 16));
      return H0 ^ lo0 ^ lo8;
    }
    // v0 v5 v10 v15
    x = words[round + 16] as number; t = (lo0 + lo5) | 0; lo0 = (t + x) | 0;
    y = ((words[round + 17] as number) + (+(t >>> 0 < lo5 >>> 0) | 0)) | 0;
    hi0 = (((hi0 + hi5) | 0) + y + (+(lo0 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi15 ^ hi0; hi15 = lo15 ^ lo0; lo15 = t;
    lo10 = (lo10 + lo15) | 0; hi10 = (hi10 + hi15 + (+(lo10 >>> 0 < lo15 >>> 0) | 0)) | 0;
    t = lo5 ^ lo10; x = hi5 ^ hi10; lo5 = (t >>> 24) | (x << 8); hi5 = (x >>> 24) | (t << 8);
    x = words[round + 18] as number; t = (lo0 + lo5) | 0; lo0 = (t + x) | 0;
    y = ((words[round + 19] as number) + (+(t >>> 0 < lo5 >>> 0) | 0)) | 0;
    hi0 = (((hi0 + hi5) | 0) + y + (+(lo0 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo15 ^ lo0; x = hi15 ^ hi0; lo15 = (t >>> 16) | (x << 16); hi15 = (x >>> 16) | (t << 16);
    lo10 = (lo10 + lo15) | 0; hi10 = (hi10 + hi15 + (+(lo10 >>> 0 < lo15 >>> 0) | 0)) | 0;
    t = lo5 ^ lo10; x = hi5 ^ hi10; lo5 = (x >>> 31) | (t << 1); hi5 = (t >>> 31) | (x << 1);
    // v1 v6 v11 v12
    x = words[round + 20] as number; t = (lo1 + lo6) | 0; lo1 = (t + x) | 0;
    y = ((words[round + 21] as number) + (+(t >>> 0 < lo6 >>> 0) | 0)) | 0;
    hi1 = (((hi1 + hi6) | 0) + y + (+(lo1 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi12 ^ hi1; hi12 = lo12 ^ lo1; lo12 = t;
    lo11 = (lo11 + lo12) | 0; hi11 = (hi11 + hi12 + (+(lo11 >>> 0 < lo12 >>> 0) | 0)) | 0;
    t = lo6 ^ lo11; x = hi6 ^ hi11; lo6 = (t >>> 24) | (x << 8); hi6 = (x >>> 24) | (t << 8);
    x = words[round + 22] as number; t = (lo1 + lo6) | 0; lo1 = (t + x) | 0;
    y = ((words[round + 23] as number) + (+(t >>> 0 < lo6 >>> 0) | 0)) | 0;
    hi1 = (((hi1 + hi6) | 0) + y + (+(lo1 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo12 ^ lo1; x = hi12 ^ hi1; lo12 = (t >>> 16) | (x << 16); hi12 = (x >>> 16) | (t << 16);
    lo11 = (lo11 + lo12) | 0; hi11 = (hi11 + hi12 + (+(lo11 >>> 0 < lo12 >>> 0) | 0)) | 0;
    t = lo6 ^ lo11; x = hi6 ^ hi11; lo6 = (x >>> 31) | (t << 1); hi6 = (t >>> 31) | (x << 1);
    // v2 v7 v8 v13
    x = words[round + 24] as number; t = (lo2 + lo7) | 0; lo2 = (t + x) | 0;
    y = ((words[round + 25] as number) + (+(t >>> 0 < lo7 >>> 0) | 0)) | 0;
    hi2 = (((hi2 + hi7) | 0) + y + (+(lo2 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi13 ^ hi2; hi13 = lo13 ^ lo2; lo13 = t;
    lo8 = (lo8 + lo13) | 0; hi8 = (hi8 + hi13 + (+(lo8 >>> 0 < lo13 >>> 0) | 0)) | 0;
    t = lo7 ^ lo8; x = hi7 ^ hi8; lo7 = (t >>> 24) | (x << 8); hi7 = (x >>> 24) | (t << 8);
    x = words[round + 26] as number; t = (lo2 + lo7) | 0; lo2 = (t + x) | 0;
    y = ((words[round + 27] as number) + (+(t >>> 0 < lo7 >>> 0) | 0)) | 0;
    hi2 = (((hi2 + hi7) | 0) + y + (+(lo2 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo13 ^ lo2; x = hi13 ^ hi2; lo13 = (t >>> 16) | (x << 16); hi13 = (x >>> 16) | (t << 16);
    lo8 = (lo8 + lo13) | 0; hi8 = (hi8 + hi13 + (+(lo8 >>> 0 < lo13 >>> 0) | 0)) | 0;
    t = lo7 ^ lo8; x = hi7 ^ hi8; lo7 = (x >>> 31) | (t << 1); hi7 = (t >>> 31) | (x << 1);
    // v3 v4 v9 v14
    x = words[round + 28] as number; t = (lo3 + lo4) | 0; lo3 = (t + x) | 0;
    y = ((words[round + 29] as number) + (+(t >>> 0 < lo4 >>> 0) | 0)) | 0;
    hi3 = (((hi3 + hi4) | 0) + y + (+(lo3 >>> 0 < x >>> 0) | 0)) | 0;
    t = hi14 ^ hi3; hi14 = lo14 ^ lo3; lo14 = t;
    lo9 = (lo9 + lo14) | 0; hi9 = (hi9 + hi14 + (+(lo9 >>> 0 < lo14 >>> 0) | 0)) | 0;
    t = lo4 ^ lo9; x = hi4 ^ hi9; lo4 = (t >>> 24) | (x << 8); hi4 = (x >>> 24) | (t << 8);
    x = words[round + 30] as number; t = (lo3 + lo4) | 0; lo3 = (t + x) | 0;
    y = ((words[round + 31] as number) + (+(t >>> 0 < lo4 >>> 0) | 0)) | 0;
    hi3 = (((hi3 + hi4) | 0) + y + (+(lo3 >>> 0 < x >>> 0) | 0)) | 0;
    t = lo14 ^ lo3; x = hi14 ^ hi3; lo14 = (t >>> 16) | (x << 16); hi14 = (x >>> 16) | (t << 16);
    lo9 = (lo9 + lo14) | 0; hi9 = (hi9 + hi14 + (+(lo9 >>> 0 < lo14 >>> 0) | 0)) | 0;
    t = lo4 ^ lo9; x = hi4 ^ hi9; lo4 = (x >>> 31) | (t << 1); hi4 = (t >>> 31) | (x << 1);
  }
}
