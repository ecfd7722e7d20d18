import type { Argon2idWork } from '../../puzzle/argon2id.ts';
import { createThread, type StartWorker, type Thread } from '../../storage/sqlite/thread.ts';
import type { FromArgon2id, ToArgon2id } from './messages.ts';

/** Threads that verify the solutions of argon2id puzzles. They start when they are first needed. */
export type Argon2idThreads = {
  /**
   * Computes one hash after the other, and stops at the first that does not meet the threshold. Every simultaneous call uses its own
   * thread.
   *
   * @throws if the thread fails
   */
  readonly verify: (work: Argon2idWork) => Promise<boolean>;
  readonly stop: () => void;
};

type Argon2idThread = Thread<ToArgon2id, FromArgon2id>;

/**
 * Wakers: a verification ends with the thread's answer, or as a failure when the thread ends or `stop` is called. Its hashes limit its
 * duration.
 *
 * @see Argon2idThreads @param start creates the worker; tests pass their own function
 */
export function createArgon2idThreads(start: StartWorker = startWorker): Argon2idThreads {
  const all = new Set<Argon2idThread>();
  const idle: Argon2idThread[] = [];
  let isStopped = false;

  function startThread(): Argon2idThread {
    const thread: Argon2idThread = createThread<ToArgon2id, FromArgon2id>('argon2id', start, () => {
      all.delete(thread);
    });
    all.add(thread);
    return thread;
  }

  return {
    async verify(work) {
      // Verifications that waited for a permit continue when those that ran have failed.
      if (isStopped) throw new Error('the argon2id threads were stopped');
      const thread = takeIdle() ?? startThread();
      const answer = await thread.ask(work);
      if (answer.kind === 'failed') {
        // A thread remembers that it could not load the library. The next verification tries again with another thread.
        all.delete(thread);
        thread.stop();
        throw new Error(answer.reason);
      }
      if (thread.isAlive()) idle.push(thread);
      return answer.isValid;
    },
    stop() {
      isStopped = true;
      for (const thread of all) thread.stop();
      all.clear();
      idle.length = 0;
    },
  };

  /** A thread can end while it is idle. */
  function takeIdle(): Argon2idThread | undefined {
    for (let thread = idle.pop(); thread !== undefined; thread = idle.pop()) {
      if (thread.isAlive()) return thread;
    }
    return undefined;
  }
}

function startWorker(): Worker {
  // A compiled binary has all modules at the root, and a worker's entry file keeps its path below it.
  const isSource = import.meta.url.endsWith('/server/argon2id/threads.ts');
  const path = isSource ? './argon2idThread.ts' : './server/argon2id/argon2idThread.ts';
  return new Worker(new URL(path, import.meta.url).href, { smol: true });
}
