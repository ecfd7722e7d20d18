/** Programs that end with this process, even if it is killed. */

export type Program = Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

export function startProgram(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Program {
  return Bun.spawn(['setpriv', '--pdeathsig', 'KILL', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
}

/**
 * Reads the output of a program until it ends.
 *
 * @returns the first group of the pattern, as soon as it is found
 * @throws if the program ends before
 */
export function findInOutput(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async () => {
    const decoder = new TextDecoder();
    let text = '';
    let found: string | undefined;
    for await (const chunk of stream) {
      if (found !== undefined) continue;
      text += decoder.decode(chunk, { stream: true });
      found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    }
    reject(new Error(`the program ended: ${text}`));
  };
  void read();
  return promise;
}
