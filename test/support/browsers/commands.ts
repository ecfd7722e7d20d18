/** Commands with ids over a connection: WebDriver BiDi, and WebKit's inspector protocol. */

export type Event = { readonly method: string; readonly params: unknown };

export type Commands = {
  /** @throws if the browser responds with an error */
  readonly send: <T>(method: string, params?: object) => Promise<T>;
  /** Processes a message of the browser. */
  readonly receive: (text: string) => void;
  /** Lets the waiting commands fail. Without it, a command whose page was left may wait forever. */
  readonly rejectAll: (reason: string) => void;
};

type Message = {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string | { readonly message: string };
  readonly message?: string;
} & Partial<Event>;

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

export function createCommands(write: (text: string) => void, onEvent: (event: Event) => void): Commands {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  return {
    send<T>(method: string, params: object = {}) {
      lastId += 1;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(lastId, { resolve, reject });
      write(JSON.stringify({ id: lastId, method, params }));
      return promise as Promise<T>;
    },
    receive(text) {
      const { id = 0, error, message, method, params, result } = JSON.parse(text) as Message;
      if (method !== undefined) onEvent({ method, params });
      const one = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) one?.resolve(result);
      else one?.reject(new Error(typeof error === 'string' ? `${error}: ${message}` : error.message));
    },
    rejectAll(reason) {
      for (const { reject } of waiting.values()) reject(new Error(reason));
      waiting.clear();
    },
  };
}

/** Opens a WebSocket. @throws if the browser does not accept it */
export async function openSocket(url: string, onEvent: (event: Event) => void): Promise<Commands> {
  const socket = new WebSocket(url);
  const commands = createCommands((text) => socket.send(text), onEvent);
  socket.onmessage = ({ data }) => commands.receive(String(data));
  socket.onclose = () => commands.rejectAll('the browser closed the connection');
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error(`cannot connect to ${url}`));
  });
  return commands;
}
