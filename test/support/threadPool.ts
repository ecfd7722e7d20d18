type Post = (message: { kind: string }, transfer: Bun.Transferable[]) => void;

/**
 * A pool of storage threads that test servers reuse, because loading the modules of a thread is slower than most tests. A thread
 * that has responded to `close` has no state and can be reused.
 */
export function createThreadPool(start: () => Worker): () => Worker {
  const idle: Worker[] = [];

  function open(): Worker {
    const worker = start();
    const terminate = worker.terminate.bind(worker);
    const post: Post = worker.postMessage.bind(worker);
    let unanswered = 0;
    let isClosing = false;
    worker.addEventListener('message', ({ data }: MessageEvent<{ answered: number }>) => {
      unanswered -= data.answered;
    });
    const postCounted: Post = (message, transfer) => {
      unanswered++;
      isClosing = message.kind === 'close';
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
