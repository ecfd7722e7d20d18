/**
 * A store that tells when it has written, before its caller knows: what memory holds of it must be asked anew.
 *
 * @param writes the methods that change something; those that only read stay quiet
 */
export function notifying<Store extends object>(
  store: Store,
  writes: readonly (keyof Store)[],
  onWrite: () => void,
): Store {
  const told: Store = { ...store };
  for (const name of writes) {
    const write = store[name] as (...given: readonly unknown[]) => Promise<unknown>;
    const telling = async (...given: readonly unknown[]): Promise<unknown> => {
      try {
        return await write(...given);
      } finally {
        onWrite();
      }
    };
    told[name] = telling as Store[keyof Store];
  }
  return told;
}
