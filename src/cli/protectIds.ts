import type { ParseArgsOptionsConfig } from 'node:util';

/** Ids are 22 base64url characters, so 1 in 64 starts with a dash. */
const ID_WITH_DASH = /^-[A-Za-z0-9_-]{21}$/;

/**
 * Rewrites arguments so that `parseArgs` does not mistake ids that start with a dash for options: `--org -x` becomes
 * `--org=-x`, and positional arguments move behind `--`.
 *
 * @param options the options of the command; arguments that name one of them stay unchanged
 */
export function protectIds(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  if (args.includes('--')) return [...args];
  const result: string[] = [];
  const operands: string[] = [];
  for (const arg of args) {
    if (!ID_WITH_DASH.test(arg) || findOption(arg, options) !== undefined) {
      result.push(arg);
      continue;
    }
    const previous = result.at(-1) ?? '';
    if (findOption(previous, options)?.type === 'string') result.splice(-1, 1, `${previous}=${arg}`);
    else operands.push(arg);
  }
  return operands.length === 0 ? result : [...result, '--', ...operands];
}

function findOption(arg: string, options: ParseArgsOptionsConfig) {
  const name = arg.slice(2);
  return arg.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
}
