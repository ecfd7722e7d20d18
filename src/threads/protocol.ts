import { reasonOf } from '../lib/log.ts';

/** Functions that another thread calls. Arguments and results are copied. The second argument is the number of the call. */
export type Methods<Names extends string = string> = {
  readonly [Name in Names]: (argument: never, id: number) => unknown;
};

/** The result of a function whose call is answered later, with `answer`. */
export const LATER: unique symbol = Symbol('later');
export type Later = typeof LATER;

/** The argument of a function. */
export type ArgumentOf<Method> = Method extends (argument: infer Argument, ...rest: never) => unknown
  ? Argument
  : never;
type ResultOf<Method> = Method extends (...rest: never) => infer Result
  ? Exclude<Awaited<Result>, Later>
  : never;

/** The result of a call, or the reason why it failed. */
export type Answer<Result = unknown> = { readonly result: Result } | { readonly reason: string };

/** The caller's handler for an answer that several calls can share. */
export type AnswerHandler<Result = unknown> = {
  /** Number of results in a shared answer that belong to this call. */
  readonly size: number;
  /** @param offset index of the first of these results */
  readonly settle: (answer: Answer<Result>, offset: number) => void;
};

/** A message calls a function, or answers `count` consecutive calls. A call without an id gets no answer. */
type Message =
  | { readonly method: string; readonly argument: unknown; readonly id?: number }
  | (Answer & { readonly first: number; readonly count: number });

/** What messages are sent to: a port, a worker, or, within a worker, the thread that started it (`self`). */
export type Port = MessagePort | Worker;

/** The thread at the other end of a port. Messages arrive in their order. */
export type RemoteThread<Remote extends Methods> = {
  /** Calls a function and waits for its result. @throws RemoteError if the function fails, or the thread ends */
  readonly call: <Name extends keyof Remote & string>(
    name: Name,
    argument: ArgumentOf<Remote[Name]>,
    transfer?: Bun.Transferable[],
  ) => Promise<ResultOf<Remote[Name]>>;
  /**
   * Calls a function whose answer several calls can share.
   *
   * @throws if the message cannot be copied; the handler is then never called
   */
  readonly send: <Name extends keyof Remote & string>(
    name: Name,
    argument: ArgumentOf<Remote[Name]>,
    handler: AnswerHandler<ResultOf<Remote[Name]>>,
    transfer?: Bun.Transferable[],
  ) => void;
  /** Calls a function without waiting for it. The function must not fail. */
  readonly notify: <Name extends keyof Remote & string>(
    name: Name,
    argument: ArgumentOf<Remote[Name]>,
    transfer?: Bun.Transferable[],
  ) => void;
  /** Answers `count` consecutive calls of the other thread with one message, for functions that have returned LATER. */
  readonly answer: (first: number, count: number, answer: Answer, transfer?: Bun.Transferable[]) => void;
  readonly isAlive: () => boolean;
  /** Resolves when no call waits for an answer. */
  readonly quiet: () => Promise<void>;
  /** Rejects all calls, including later ones, and closes the port. @returns false if the thread has already ended */
  readonly end: (reason: string) => boolean;
};

/** A function of another thread failed, and that thread has handled the error; or the thread has ended. */
export class RemoteError extends Error {}

/**
 * Exchanges calls with the thread at the other end of a port.
 *
 * Wakers: a call waits for its answer, or for `end`, which the closing of the port and the end of the thread also cause. `quiet` waits until
 * no call is unanswered. A call is recorded only after its message was sent, so a message that cannot be sent leaves no waiting call.
 *
 * @param local the functions that the other thread may call
 * @param name of the other thread, for the reason when its port closes
 * @param onEnd called when the port closes without `end`; all calls have been rejected by then
 */
export function connectThread<Remote extends Methods>(
  port: Port,
  local: Methods,
  name = 'other thread',
  onEnd?: (reason: string) => void,
): RemoteThread<Remote> {
  /** The handlers of unanswered calls by their number, oldest first. */
  const handlers = new Map<number, AnswerHandler<never>>();
  let nextId = 0;
  let ending: string | undefined;
  let onQuiet: ReturnType<typeof Promise.withResolvers<void>> | undefined;

  const post = (message: Message, transfer?: Bun.Transferable[]) =>
    transfer === undefined ? port.postMessage(message) : port.postMessage(message, transfer);

  function serve(method: string, argument: unknown, id: number): void {
    const call = local[method] as (argument: unknown, id: number) => unknown;
    try {
      const result = call(argument, id);
      // Most calls of the ledger are answered later, and need no promise.
      if (result !== LATER) void respond(id, result);
    } catch (error) {
      void respond(id, Promise.reject(error));
    }
  }

  async function respond(id: number, result: unknown): Promise<void> {
    try {
      post({ first: id, count: 1, result: await result });
    } catch (error) {
      post({ first: id, count: 1, reason: reasonOf(error) });
    }
  }

  /** Another answer to a call that was already answered has no effect. */
  function settle(answer: Answer, first: number, count: number): void {
    let offset = 0;
    for (let id = first; id < first + count; id++) {
      const handler = handlers.get(id);
      if (handler === undefined) continue;
      handlers.delete(id);
      // The messages come from the same program.
      handler.settle(answer as Answer<never>, offset);
      offset += handler.size;
    }
    if (handlers.size > 0) return;
    onQuiet?.resolve();
    onQuiet = undefined;
  }

  function end(reason: string): boolean {
    if (ending !== undefined) return false;
    ending = reason;
    for (const id of [...handlers.keys()]) settle({ reason }, id, 1);
    if (port instanceof MessagePort) port.close();
    return true;
  }

  const send: RemoteThread<Remote>['send'] = (method, argument, handler, transfer) => {
    if (ending !== undefined) return handler.settle({ reason: ending }, 0);
    post({ method, argument, id: nextId }, transfer);
    handlers.set(nextId++, handler);
  };

  port.onmessage = ({ data }: { readonly data: Message }) => {
    if (!('method' in data)) settle(data, data.first, data.count);
    else if (data.id === undefined) (local[data.method] as (argument: unknown) => void)(data.argument);
    else serve(data.method, data.argument, data.id);
  };
  port.addEventListener('close', () => {
    const reason = `the ${name} ended`;
    if (end(reason)) onEnd?.(reason);
  });

  return {
    send,
    call: (method, argument, transfer) =>
      new Promise((resolve, reject) => {
        const settle = (answer: Answer) =>
          'reason' in answer ? reject(new RemoteError(answer.reason)) : resolve(answer.result as never);
        send(method, argument, { size: 0, settle }, transfer);
      }),
    notify(method, argument, transfer) {
      if (ending === undefined) post({ method, argument }, transfer);
    },
    answer: (first, count, answer, transfer) => post({ ...answer, first, count }, transfer),
    isAlive: () => ending === undefined,
    async quiet() {
      if (handlers.size === 0) return;
      onQuiet ??= Promise.withResolvers();
      await onQuiet.promise;
    },
    end,
  };
}
