/** The path of the interpreter, because a version manager's `python3` is a shell script that takes longer than the example. */
export const PYTHON = interpreter() ?? 'python3';

function interpreter(): string | undefined {
  if (Bun.which('python3') === null) return undefined;
  return Bun.spawnSync(['python3', '-c', 'import sys; print(sys.executable)']).stdout.toString().trim();
}
