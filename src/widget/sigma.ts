/** @param index 0..191, position in the twelve rounds @returns the number of the word, 0..15 */
export function wordAt(index: number): number {
  return SIGMA.charCodeAt(index % 160) - A;
}

const A = 'a'.charCodeAt(0);

/** The order of the words in ten rounds, one letter per word (RFC 7693, section 2.7). Rounds 10 and 11 repeat the first two. */
const SIGMA =
  'abcdefghijklmnop' +
  'okeijpngbmaclhfd' +
  'limafcpnkodghbje' +
  'hjdbnmlocgfkeapi' +
  'jafhcekpoblmgidn' +
  'cmgkalidenhfpobj' +
  'mfbponekahgdjcil' +
  'nlhombdjfapeigck' +
  'gpojldaimcnhbekf' +
  'kciehgbfpljodmna';
