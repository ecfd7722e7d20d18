import { describe, expect, test } from 'bun:test';
import { createForwarder } from '../../../../src/server/threads/forwarding/forwarder.ts';
import { serveForwarded } from '../../../../src/server/threads/forwarding/serveForwarded.ts';
import { type ForwardedServerOptions, startForwardedServer } from '../../../support/forwardedServer.ts';
import { until } from '../../../support/slowRequest.ts';
import { useFixture } from '../../../support/useServer.ts';
import { exchangeOn, openSocket, requestOf } from './rawClient.ts';

const MIB = 1024 * 1024;

type Handler = (request: Request) => Response | Promise<Response>;

/** A forwarded server with a handler for each path. */
async function start(options: Pick<ForwardedServerOptions, 'limit'> = {}) {
  const handlers = new Map<string, Handler>([['/livez', () => new Response('OK')]]);
  const server = await startForwardedServer({
    ...options,
    hostname: '127.0.0.1',
    handle: (request) =>
      handlers.get(new URL(request.url).pathname)?.(request) ?? new Response('unknown path'),
  });
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init);
  return { ...server, handlers, ask };
}

const useForwarded = (options: Pick<ForwardedServerOptions, 'limit'> = {}) =>
  useFixture(() => start(options), { per: 'test', dispose: (server) => server.stop() });

describe('a client that disconnects', () => {
  const server = useForwarded();

  test('while the application works aborts the signal of the request', async () => {
    const aborted = Promise.withResolvers<void>();
    server.handlers.set('/slow', ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      socket.destroy();
      return new Promise<Response>(() => {});
    });
    const socket = openSocket(server.port);
    socket.write(requestOf('GET /slow'));
    await aborted.promise;
  });

  test.each([
    ['in the first packet', 'a'],
    ['in many parts', 'a'.repeat(300_000)],
  ])('during an upload fails the body like the server of Bun: %s', async (_, first) => {
    const failed = Promise.withResolvers<readonly unknown[]>();
    server.handlers.set('/upload', async (request) => {
      const reader = request.body?.getReader();
      await reader?.read();
      socket.destroy();
      try {
        while (!(await reader?.read())?.done);
      } catch (error) {
        failed.resolve([error instanceof DOMException && error.name, request.signal.aborted]);
      }
      return new Response();
    });
    const socket = openSocket(server.port);
    socket.write(requestOf('POST /upload', ['Content-Length: 1000000'], first));
    expect(await failed.promise).toEqual(['AbortError', true]);
  });

  test('during a download cancels the stream of the application', async () => {
    const canceled = Promise.withResolvers<void>();
    const stream = () =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise(setImmediate);
          controller.enqueue(new Uint8Array(1000));
        },
        cancel: () => canceled.resolve(),
      });
    server.handlers.set('/endless', () => new Response(stream()));
    const socket = openSocket(server.port);
    socket.once('data', () => socket.destroy());
    socket.write(requestOf('GET /endless'));
    await canceled.promise;
  });

  test('before the application responds cancels the stream of the late response', async () => {
    const canceled = Promise.withResolvers<void>();
    server.handlers.set('/late', async ({ signal }) => {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      socket.destroy();
      await aborted;
      const pull = () => new Promise<void>(() => {});
      return new Response(new ReadableStream({ pull, cancel: () => canceled.resolve() }));
    });
    const socket = openSocket(server.port);
    socket.write(requestOf('GET /late'));
    await canceled.promise;
  });
});

describe('a body stays with its sender while no one reads it:', () => {
  const server = useForwarded();

  /** Waits until a number has not changed during 50 other requests. */
  async function settled(read: () => number): Promise<number> {
    for (;;) {
      const before = read();
      for (let count = 0; count < 50; count++) await (await server.ask('/livez')).text();
      if (read() === before) return before;
    }
  }

  test('the body of a response', async () => {
    let pulls = 0;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise(setImmediate);
        controller.enqueue(new Uint8Array(MIB).fill(++pulls));
        if (pulls === 64) controller.close();
      },
    });
    server.handlers.set('/large', () => new Response(stream));
    const socket = openSocket(server.port).pause();
    socket.write(requestOf('GET /large'));
    await until(async () => pulls > 0);
    // The buffers of both sockets have a few MiB.
    expect(await settled(() => pulls)).toBeLessThan(32);
    let size = 0;
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('data', (chunk) => {
      size += chunk.length;
    });
    socket.resume();
    await closed;
    expect(size).toBeGreaterThan(64 * MIB);
  });

  test('the body of a request', async () => {
    const read = Promise.withResolvers<void>();
    server.handlers.set('/upload', async (request) => {
      await read.promise;
      return new Response(String((await request.bytes()).length));
    });
    const socket = openSocket(server.port);
    const answered = new Promise<string>((resolve) => socket.on('data', (chunk) => resolve(String(chunk))));
    let sent = 0;
    const write = () => {
      while (sent < 64) {
        sent++;
        if (!socket.write(Buffer.alloc(MIB))) return;
      }
    };
    socket.on('drain', write);
    socket.write(requestOf('POST /upload', [`Content-Length: ${64 * MIB}`]));
    write();
    expect(await settled(() => sent)).toBeLessThan(32);
    read.resolve();
    expect(await answered).toEndWith(String(64 * MIB));
  });
});

describe('the application', () => {
  const server = useForwarded();

  test('receives a request before its body', async () => {
    server.handlers.set('/early', () => new Response('early', { headers: { Connection: 'close' } }));
    const socket = openSocket(server.port);
    const answered = new Promise<string>((resolve) => socket.on('data', (chunk) => resolve(String(chunk))));
    socket.write(requestOf('POST /early', ['Content-Length: 10']));
    expect(await answered).toEndWith('early');
  });

  test('knows the address of the connection, whatever the headers contain', async () => {
    const headers = { address: '192.0.2.1', 'X-Forwarded-For': '192.0.2.1', Forwarded: 'for=192.0.2.1' };
    server.handlers.set('/address', (request) => new Response(server.addressOf(request)));
    expect(await (await server.ask('/address', { headers })).text()).toBe('127.0.0.1');
  });

  test('that fails is reported, and the response is 503', async () => {
    server.handlers.set('/failing', () => Promise.reject(new Error('failing')));
    const response = await server.ask('/failing');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(server.failures).toEqual([new Error('failing')]);
  });

  test('can respond to 200 requests at the same time in any order', async () => {
    const waiting = new Map<string, (response: Response) => void>();
    server.handlers.set(
      '/wait',
      ({ url }) => new Promise((resolve) => waiting.set(new URL(url).search, resolve)),
    );
    const searches = Array.from({ length: 200 }, (_, index) => `?${index}`);
    const texts = searches.map(async (search) => (await server.ask(`/wait${search}`)).text());
    await until(async () => waiting.size === 200);
    for (const search of searches.toReversed()) waiting.get(search)?.(new Response(search));
    expect(await Promise.all(texts)).toEqual(searches);
  });
});

describe('more requests than the limit', () => {
  const server = useForwarded({ limit: 2 });

  test('get 503 until others are finished', async () => {
    const waiting: ((response: Response) => void)[] = [];
    server.handlers.set('/wait', () => new Promise((resolve) => waiting.push(resolve)));
    const running = [server.ask('/wait'), server.ask('/wait')];
    await until(async () => waiting.length === 2);
    const rejected = await server.ask('/other');
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
    for (const resolve of waiting) resolve(new Response('done'));
    for (const response of running) expect(await (await response).text()).toBe('done');
    expect((await server.ask('/other')).status).toBe(200);
  });

  test.each([
    ['a response without a body', () => new Response(null, { status: 204 })],
    ['a stream', () => new Response(new Blob(['a'.repeat(200_000)]).stream())],
    ['an error', () => Promise.reject(new Error('failing'))],
  ] as const)('are accepted after %s', async (_, handle) => {
    server.handlers.set('/many', handle);
    for (let count = 0; count < 10; count++) await (await server.ask('/many')).bytes();
    expect((await server.ask('/other')).status).toBe(200);
  });

  test.each(['GET /many', 'HEAD /many', 'POST /many'])(
    'are accepted after clients have disconnected: %s',
    async (line) => {
      const endless = () =>
        new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(50_000)) }));
      server.handlers.set('/many', endless);
      for (let count = 0; count < 10; count++) {
        const socket = openSocket(server.port);
        socket.once('data', () => socket.destroy());
        socket.write(requestOf(line, line.startsWith('POST') ? ['Content-Length: 1000000'] : [], 'a'));
        await new Promise((resolve) => socket.on('close', resolve));
      }
      await until(async () => (await server.ask('/other')).status === 200);
    },
  );
});

describe('a client that sends or reads slowly', () => {
  /** 12 uploads and 12 downloads, at most 2 of each client. */
  const server = useForwarded({ limit: 16 });
  const CLIENTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7'];

  const upload = requestOf('POST /upload', ['Content-Length: 100000'], 'a');
  const ask = (line: string, from: string) => exchangeOn(openSocket(server.port, from), requestOf(line));

  function handleUploads() {
    const received: Request[] = [];
    server.handlers.set('/upload', async (request) => {
      received.push(request);
      return new Response(String((await request.bytes()).length));
    });
    return received;
  }

  test('has at most an eighth of the limit for uploads', async () => {
    const received = handleUploads();
    const sockets = [1, 2].map(() => openSocket(server.port, '127.0.0.2'));
    for (const socket of sockets) socket.write(upload);
    await until(async () => received.length === 2);
    const own = await exchangeOn(openSocket(server.port, '127.0.0.2'), upload);
    expect(own).toMatchObject({ status: 503, isBroken: false });
    expect(await (await server.ask('/upload', { method: 'POST', body: 'small' })).text()).toBe('5');
    const answered = new Promise((resolve) => sockets[0]?.on('data', resolve));
    sockets[0]?.write('a'.repeat(99_999));
    await answered;
    const third = openSocket(server.port, '127.0.0.2');
    third.write(upload);
    await until(async () => received.length === 4);
    for (const socket of [...sockets, third]) socket.destroy();
  });

  test('gives way to clients that have fewer uploads', async () => {
    const received = handleUploads();
    const sockets = CLIENTS.flatMap((from) => [1, 2].map(() => openSocket(server.port, from)));
    const answers = sockets.map((socket) => exchangeOn(socket, upload));
    await until(async () => received.length === 12);
    const other = exchangeOn(openSocket(server.port, '127.0.0.8'), upload, 'a'.repeat(99_999));
    expect(await other).toMatchObject({ status: 200, body: '100000' });
    expect(await Promise.race(answers)).toMatchObject({ status: 503 });
    for (const socket of sockets) socket.destroy();
  });

  test('has at most an eighth of the limit for downloads, and gives way to others', async () => {
    // 1,100 clients that did not read their downloads made all other requests fail with 503 for 25 seconds.
    let open = 0;
    const endless = () => {
      open++;
      const pull = (stream: ReadableStreamDefaultController) => stream.enqueue(new Uint8Array(50_000));
      return new ReadableStream({ pull, cancel: () => void open-- }, { highWaterMark: 0 });
    };
    server.handlers.set('/endless', () => new Response(endless()));
    const begin = async (from: string) => {
      const socket = openSocket(server.port, from);
      socket.write(requestOf('GET /endless'));
      await new Promise((resolve) => socket.once('data', resolve));
      socket.pause();
      return socket;
    };
    const sockets = await Promise.all([...CLIENTS, ...CLIENTS].map(begin));
    expect(open).toBe(12);
    expect(await ask('GET /endless', '127.0.0.2')).toMatchObject({ status: 503, isBroken: false });
    const other = await begin('127.0.0.8');
    await until(async () => open === 12);
    const page = () => new Response('page');
    server.handlers.set('/page', page);
    expect(await ask('GET /page', '127.0.0.2')).toMatchObject({ status: 200, body: 'page' });
    for (const socket of [...sockets, other]) socket.destroy();
    await until(async () => open === 0);
  });
});

describe('while a client has as many requests as the limit', () => {
  const server = useForwarded({ limit: 2 });

  async function takeAll() {
    const waiting: ((response: Response) => void)[] = [];
    server.handlers.set('/wait', () => new Promise((resolve) => waiting.push(resolve)));
    const running = [server.ask('/wait'), server.ask('/wait')];
    await until(async () => waiting.length === 2);
    const finish = async () => {
      for (const resolve of waiting) resolve(new Response('done'));
      return (await Promise.all(running)).map(({ status }) => status);
    };
    return { waiting, finish };
  }

  test('another client gets the place of the newest one', async () => {
    const { waiting, finish } = await takeAll();
    const other = exchangeOn(openSocket(server.port, '127.0.0.2'), requestOf('GET /wait'));
    await until(async () => waiting.length === 3);
    expect((await finish()).sort()).toEqual([200, 503]);
    expect(await other).toMatchObject({ status: 200, body: 'done' });
  });

  test('health checks and metrics have reserved places', async () => {
    const { finish } = await takeAll();
    for (const path of ['/livez', '/readyz', '/metrics']) {
      server.handlers.set(path, () => new Response('healthy'));
      expect(await (await server.ask(path)).text()).toBe('healthy');
    }
    // A body could arrive slowly and keep the place.
    expect((await server.ask('/livez', { method: 'POST', body: 'a' })).status).toBe(503);
    expect(await finish()).toEqual([200, 200]);
  });
});

describe('when the port closes', () => {
  const server = useForwarded();

  test('waiting requests get 503, and so do later requests', async () => {
    const received = Promise.withResolvers<void>();
    server.handlers.set('/wait', () => {
      received.resolve();
      return new Promise<Response>(() => {});
    });
    const waiting = server.ask('/wait', { method: 'POST', body: 'a'.repeat(200_000) });
    await received.promise;
    server.disconnect();
    expect((await waiting).status).toBe(503);
    expect((await server.ask('/livez')).status).toBe(503);
  });

  test('an unfinished response is aborted', async () => {
    const pull = (stream: ReadableStreamDefaultController) => stream.enqueue(new Uint8Array(10));
    server.handlers.set('/stream', () => new Response(new ReadableStream({ pull })));
    const response = await server.ask('/stream');
    const reader = response.body?.getReader();
    await reader?.read();
    server.disconnect();
    const readAll = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(readAll()).rejects.toThrow('closed');
  });

  test('because the request thread has ended, running requests are aborted', async () => {
    const aborted = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    server.handlers.set('/wait', ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      received.resolve();
      return new Promise<Response>(() => {});
    });
    const waiting = server.ask('/wait').catch(() => {});
    await received.promise;
    await server.stop();
    await Promise.all([aborted.promise, waiting]);
  });
});

test.each<[string, RequestInit]>([
  ['GET', {}],
  ['POST with 60,000 bytes', { method: 'POST', body: new Uint8Array(60_000) }],
])('%s costs one message in each direction', async (_, init) => {
  const { port1, port2 } = new MessageChannel();
  const messages: unknown[] = [];
  for (const port of [port1, port2]) {
    const post = port.postMessage.bind(port);
    const record: typeof port.postMessage = (message: unknown, ...rest: unknown[]) => {
      messages.push(message);
      Reflect.apply(post, port, [message, ...rest]);
    };
    port.postMessage = record;
  }
  const addresses = new WeakMap<Request, string>();
  const onFailure = () => {};
  serveForwarded(port1, {
    addresses,
    onFailure,
    handle: async (request) => new Response(await request.bytes()),
  });
  const forward = createForwarder(port2, { unavailable: () => new Response(null, { status: 503 }) });
  const client = { address: '192.0.2.1', client: '192.0.2.1' };
  const response = await forward(new Request('http://localhost/', init), client);
  expect((await response.bytes()).length).toBe(init.body === undefined ? 0 : 60_000);
  expect(messages).toMatchObject([{ method: 'request' }, { result: { status: 200 } }]);
  port1.close();
});
