// AssemblyScript. Rotates both words of a vector to the right, as BLAKE2b does (RFC 7693, section 2.1).

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr32(x: v128): v128 {
  return v128.shuffle<u32>(x, x, 1, 0, 3, 2);
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr24(x: v128): v128 {
  return v128.swizzle(x, i8x16(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10));
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr16(x: v128): v128 {
  return v128.swizzle(x, i8x16(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9));
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr63(x: v128): v128 {
  return v128.or(i64x2.add(x, x), i64x2.shr_u(x, 63));
}
