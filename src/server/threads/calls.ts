import { createUnanswered } from '../../lib/unanswered.ts';

/** Functions that another thread calls. Arguments and results are copied. */
export type Methods<Names extends string = string> = {
  readonly [Name in Names]: (argument: never, transferred: readonly MessagePort[]) => unknown;
};

/** The argument of a function. */
export type ArgumentOf<Method> = Method extends (argument: infer Argument, ...rest: never) => unknown
  ? Argument
  : never;
type ResultOf<Method> = Method extends (...rest: never) => infer Result ? Awaited<Result> : never;

/** A message that calls a function. Without an id, it gets no answer. */
type Call = {
  readonly method: string;
  readonly argument: unknown;
  readonly id: number | undefined;
  readonly ports: readonly MessagePort[];
};

/** Messages between two threads: a call, or its answer. */
export type CallMessage =
  | Call
  | { readonly answered: number; readonly result: unknown }
  | { readonly answered: number; readonly reason: string };

/** Calls functions of another thread. */
export type Calls<Remote extends Methods> = {
  /** Calls a function and waits for its result. @throws RemoteError if the function fails, or the other thread ends */
  readonly call: <Name extends keyof Remote & string>(
    name: Name,
    argument: ArgumentOf<Remote[Name]>,
    ports?: readonly MessagePort[],
  ) => Promise<ResultOf<Remote[Name]>>;
  /** Calls a function without waiting for it. The function must not fail. */
  readonly notify: <Name extends keyof Remote & string>(
    name: Name,
    argument: ArgumentOf<Remote[Name]>,
  ) => void;
  /** Handles a message of the other thread. */
  readonly receive: (message: CallMessage) => void;
  /** Rejects all calls, because the other thread has ended. */
  readonly end: (reason: string) => void;
};

/** A function of another thread failed, and that thread has handled the error. */
export class RemoteError extends Error {}

type Answer = { readonly result: unknown } | { readonly reason: string };

/**
 * @param post sends a message to the other thread
 * @param local the functions that the other thread may call
 */
export function createCalls<Remote extends Methods>(
  post: (message: CallMessage, transfer: MessagePort[]) => void,
  local: Methods,
): Calls<Remote> {
  const unanswered = createUnanswered<Answer>((reason) => ({ reason }));

  async function answer({ method, argument, id, ports }: Call): Promise<void> {
    // The messages come from the same program.
    const call = local[method] as (argument: unknown, ports: readonly MessagePort[]) => unknown;
    if (id === undefined) return void call(argument, ports);
    try {
      post({ answered: id, result: await call(argument, ports) }, []);
    } catch (error) {
      post({ answered: id, reason: error instanceof Error ? error.message : String(error) }, []);
    }
  }

  return {
    call(method, argument, ports = []) {
      return new Promise((resolve, reject) => {
        // The results come from the same program.
        const settle = (answer: Answer) =>
          'result' in answer ? resolve(answer.result as never) : reject(new RemoteError(answer.reason));
        unanswered.send((id) => post({ method, argument, id, ports }, [...ports]), { size: 0, settle });
      });
    },
    notify(method, argument) {
      if (!unanswered.hasEnded()) post({ method, argument, id: undefined, ports: [] }, []);
    },
    receive(message) {
      if ('method' in message) void answer(message);
      else unanswered.settle(message, 1, message.answered);
    },
    end: (reason) => void unanswered.end(reason),
  };
}
