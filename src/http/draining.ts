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

/** Whether the server drains, and the number of responses since then. */
const [IS_ON, RESPONSES] = [0, 1];

/** The number of cells of a Draining. */
export const DRAINING_CELLS = 2;

/** @see Draining @param cells shared by all threads of the server that send responses, 0 at first */
export function createDraining(cells: Int32Array = new Int32Array(DRAINING_CELLS)): Draining {
  const isOn = () => Atomics.load(cells, IS_ON) === 1;
  return {
    begin: () => void Atomics.store(cells, IS_ON, 1),
    isOn,
    closeConnection(headers) {
      if (!isOn()) return;
      headers.set('Connection', 'close');
      Atomics.add(cells, RESPONSES, 1);
    },
    async quiet() {
      const deadline = performance.now() + LONGEST_MS;
      let responses = Atomics.load(cells, RESPONSES);
      let lastChangeAt = performance.now();
      while (performance.now() < Math.min(lastChangeAt + QUIET_MS, deadline)) {
        await Bun.sleep(CHECK_MS);
        const now = Atomics.load(cells, RESPONSES);
        if (now !== responses) lastChangeAt = performance.now();
        responses = now;
      }
    },
  };
}
