/**
 * The storage cannot do its work now: it is full, broken, busy, or may not be written. What was asked for was not done,
 * and may be asked for again when the storage is well.
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}
