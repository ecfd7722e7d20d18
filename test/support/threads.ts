/**
 * Storage threads that test servers use one after the other: loading a thread's modules costs more than most tests. A
 * thread that has answered `close` holds nothing, and is as good as a new one.
 */
export function createThreadPool(start: () => Worker): () => Worker {
  const idle: Worker[] = [];

  function open(): Worker {
    const worker = start();
    const terminate = worker.terminate.bind(worker);
    const post = worker.postMessage.bind(worker);
    let unanswered = 0;
    let isClosing = false;
    worker.addEventListener('message', ({ data }: MessageEvent<{ answered: number }>) => {
      unanswered -= data.answered;
    });
    worker.postMessage = (message: { kind: string }) => {
      unanswered++;
      isClosing = message.kind === 'close';
      post(message);
    };
    worker.terminate = () => {
      if (isClosing && unanswered === 0) idle.push(worker);
      else terminate();
    };
    return worker;
  }

  return () => idle.pop() ?? open();
}
