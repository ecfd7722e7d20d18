/**
 * Firefox's protocol for WebDriver commands, which has what WebDriver BiDi lacks: the computed role and name of an element, and scripts
 * with access to the preferences.
 */

export type Marionette = { readonly call: <T>(command: string, parameters?: object) => Promise<T> };

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };
type Reply = readonly [type: number, id: number, error: { message: string } | null, result: unknown];

/** Each message is its length in bytes, a colon, and JSON. The first one greets the client. */
export async function openMarionette(port: number): Promise<Marionette> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let received = Buffer.alloc(0);

  function receive(message: unknown): void {
    if (!Array.isArray(message)) return;
    const [, id, error, result] = message as unknown as Reply;
    const one = waiting.get(id);
    waiting.delete(id);
    if (error === null) one?.resolve(result);
    else one?.reject(new Error(error.message));
  }

  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, chunk) {
        received = Buffer.concat([received, chunk]);
        for (;;) {
          const colon = received.indexOf(':');
          const end = colon + 1 + Number(received.subarray(0, colon));
          if (colon < 0 || received.length < end) return;
          receive(JSON.parse(received.toString('utf8', colon + 1, end)));
          received = received.subarray(end);
        }
      },
    },
  });
  return {
    call<T>(command: string, parameters: object = {}) {
      lastId += 1;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(lastId, { resolve, reject });
      const text = JSON.stringify([0, lastId, command, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
      return promise as Promise<T>;
    },
  };
}
