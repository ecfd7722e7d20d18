/**
 * The storage failed: it is full, damaged, busy, or not writable. Nothing was changed, so the call can be repeated when the storage
 * works again. With PostgreSQL, a change may have been made nevertheless if the server did not answer or confirm it in time.
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}
