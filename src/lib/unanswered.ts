/** The caller's handler for the answer to a message. */
export type AnswerHandler<Answer> = {
  /** Number of results in a shared answer that belong to this message. */
  readonly size: number;
  /** @param offset index of the first of these results */
  readonly settle: (answer: Answer, offset: number) => void;
};

/** The messages to another thread that have no answer yet. */
export type Unanswered<Answer> = {
  /**
   * Sends a message, or answers it with a failure if the other thread has ended.
   *
   * @param post sends the message with its number; numbers are consecutive
   * @throws what `post` throws, for example if the message cannot be copied; the handler is then never called
   */
  readonly send: (post: (id: number) => void, handler: AnswerHandler<Answer>) => void;
  /**
   * Passes an answer to the handlers of `count` consecutive messages. An answer to a message that was answered before has no effect.
   *
   * @param first the number of the first message; by default, the oldest message that has no answer
   */
  readonly settle: (answer: Answer, count: number, first?: number) => void;
  /** Answers all messages, including later ones, with a failure. @returns false if it was called before */
  readonly end: (reason: string) => boolean;
  readonly hasEnded: () => boolean;
  /** Resolves when no message waits for an answer. */
  readonly quiet: () => Promise<void>;
};

/**
 * Matches answers to messages.
 *
 * Wakers: a message waits until `settle` passes its answer, or `end` its failure; the thread's owner calls `end` when the thread ends,
 * fails, or is stopped. `quiet` waits for the last of these. A message is recorded only after it was sent, so none of the handlers
 * belongs to a message that the other thread never received.
 *
 * @param failed creates the answer to messages whose thread has ended
 */
export function createUnanswered<Answer>(failed: (reason: string) => Answer): Unanswered<Answer> {
  /** The handlers by the number of their message, oldest first. */
  const handlers = new Map<number, AnswerHandler<Answer>>();
  let nextId = 0;
  let ending: string | undefined;
  let onQuiet: ReturnType<typeof Promise.withResolvers<void>> | undefined;

  function settle(answer: Answer, count: number, first?: number): void {
    const start = first ?? handlers.keys().next().value ?? nextId;
    let offset = 0;
    for (let id = start; id < start + count; id++) {
      const handler = handlers.get(id);
      if (handler === undefined) continue;
      handlers.delete(id);
      handler.settle(answer, offset);
      offset += handler.size;
    }
    if (handlers.size > 0) return;
    onQuiet?.resolve();
    onQuiet = undefined;
  }

  return {
    send(post, handler) {
      if (ending !== undefined) {
        handler.settle(failed(ending), 0);
        return;
      }
      post(nextId);
      handlers.set(nextId++, handler);
    },
    settle,
    end(reason) {
      if (ending !== undefined) return false;
      ending = reason;
      for (const id of [...handlers.keys()]) settle(failed(reason), 1, id);
      return true;
    },
    hasEnded: () => ending !== undefined,
    async quiet() {
      if (handlers.size === 0) return;
      onQuiet ??= Promise.withResolvers();
      await onQuiet.promise;
    },
  };
}
