import type { Context } from '../command.ts';

/** Reads a password from standard input, without the line break at the end that files and `echo` add. */
export async function readPassword({ stdin }: Context): Promise<string> {
  return (await stdin()).replace(/\r?\n$/, '');
}
