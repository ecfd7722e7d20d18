/** Runs a program. @returns its standard output @throws Error with its standard error if it fails */
export function run(
  command: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): string {
  const child = Bun.spawnSync([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.exitCode === 0) return child.stdout.toString();
  throw new Error(`${command.join(' ')} failed: ${child.stderr.toString()}${child.stdout.toString()}`);
}
