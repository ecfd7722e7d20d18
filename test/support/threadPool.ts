import { startWorker, type ThreadName } from '../../src/threads/worker.ts';

type Post = (message: { method: string; id?: number }, transfer: Bun.Transferable[]) => void;

/**
 * A pool of storage threads that test servers reuse, because loading the modules of a thread is slower than most tests. A thread
 * that has responded to `close` has no state and can be reused.
 */
export function createThreadPool(name: ThreadName): () => Worker {
  const idle: Worker[] = [];

  function open(): Worker {
    const worker = startWorker(name);
    const terminate = worker.terminate.bind(worker);
    const post: Post = worker.postMessage.bind(worker);
    let unanswered = 0;
    let isClosing = false;
    worker.addEventListener('message', ({ data }: MessageEvent<{ count?: number }>) => {
      unanswered -= data.count ?? 0;
    });
    const postCounted: Post = (message, transfer) => {
      if (message.id !== undefined) unanswered++;
      isClosing = message.method === 'close';
      post(message, transfer);
    };
    worker.postMessage = postCounted as Worker['postMessage'];
    worker.terminate = () => {
      if (isClosing && unanswered === 0) idle.push(worker);
      else terminate();
    };
    return worker;
  }

  return () => idle.pop() ?? open();
}
