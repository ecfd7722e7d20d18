/** Maximum number of attempts in one minimization. */
const MAX_TRIES = 3000;

/**
 * Makes an input smaller while it still fails: removes parts, from halves to single characters, and then replaces characters with `a`.
 *
 * @param fails whether an input still fails in the same way
 * @returns the smallest input that was found
 */
export async function minimize(input: string, fails: (input: string) => Promise<boolean>): Promise<string> {
  let smallest = input;
  let tries = 0;

  async function attempt(candidate: string): Promise<boolean> {
    if (tries++ >= MAX_TRIES || candidate === smallest || !(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  }

  for (let size = Math.ceil(input.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length; ) {
      const isRemoved = await attempt(smallest.slice(0, at) + smallest.slice(at + size));
      if (!isRemoved) at += size;
    }
  }
  for (let at = 0; at < smallest.length; at++) {
    await attempt(`${smallest.slice(0, at)}a${smallest.slice(at + 1)}`);
  }
  return smallest;
}
