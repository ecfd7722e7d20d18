/** Draining: before a server stops, it asks its clients to close their connections. */
export type Draining = {
  readonly begin: () => void;
  readonly isOn: () => boolean;
  /** While the server drains, makes a response close its connection. */
  readonly closeConnection: (headers: Headers) => void;
  /**
   * Waits until the clients of busy connections have closed them. If the server stopped earlier, it would close connections on which
   * clients have already sent the next request.
   *
   * @returns a promise that resolves when no response was sent for QUIET_MS, or after LONGEST_MS
   */
  readonly quiet: () => Promise<void>;
};

const [QUIET_MS, LONGEST_MS, CHECK_MS] = [50, 1000, 10];

/** @see Draining */
export function createDraining(): Draining {
  let isOn = false;
  let lastResponseAt = 0;
  return {
    begin() {
      isOn = true;
      lastResponseAt = performance.now();
    },
    isOn: () => isOn,
    closeConnection(headers) {
      if (!isOn) return;
      headers.set('Connection', 'close');
      lastResponseAt = performance.now();
    },
    async quiet() {
      const deadline = performance.now() + LONGEST_MS;
      while (performance.now() < Math.min(lastResponseAt + QUIET_MS, deadline)) await Bun.sleep(CHECK_MS);
    },
  };
}
