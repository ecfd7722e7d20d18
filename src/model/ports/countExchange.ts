/** A message from one node to all other nodes. */
export type CountBatch = {
  /** Identifies one run of a node's process: a UUID. */
  readonly node: string;
  /** Starts at 1 or more, and increases with each batch of the node. */
  readonly sequence: number;
  readonly payload: Uint8Array;
};

export type ReceivedBatch = CountBatch & {
  /** Milliseconds since the batch was stored, by the clock of the storage. */
  readonly ageMs: number;
};

/** Passes messages between the nodes of an installation. Messages are deleted after ten seconds, and a crash can lose them. */
export interface CountExchange {
  /**
   * Stores this node's batch unless it is already stored, and returns batches of other nodes in the order of their sequence numbers.
   *
   * @param batch without a payload if there is nothing to store
   * @param received the last sequence number that this node has received from each other node
   * @throws if the storage is unavailable; the batch may have been stored, and it is safe to send it again
   */
  exchange(
    batch: Omit<CountBatch, 'payload'> & { readonly payload: Uint8Array | undefined },
    received: ReadonlyMap<string, number>,
  ): Promise<readonly ReceivedBatch[]>;
  /**
   * Returns the secret that all nodes use in a period. If there is no secret yet, stores and returns `candidate`, 32 bytes. Deletes the
   * secrets of all periods before the previous one.
   *
   * @throws if the storage is unavailable
   */
  secret(period: number, candidate: Uint8Array): Promise<Uint8Array>;
  /** Closes the connection. Must not be called during a call of another method. */
  close(): Promise<void>;
}
