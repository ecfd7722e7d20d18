/**
 * The storage failed: it is full, damaged, busy, or not writable. Nothing was changed, so the call can be repeated when the storage
 * works again.
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}
