declare const brand: unique symbol;

/** A nominal type: assignable to `T`, but only a parser creates its values. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
