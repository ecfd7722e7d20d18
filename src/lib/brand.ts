declare const brand: unique symbol;

/** A primitive with a meaning: assignable to `T`, but made only by a parser. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
