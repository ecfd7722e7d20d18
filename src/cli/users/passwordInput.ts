import { normalizePassword } from '../../model/account.ts';
import { CommandError, type Context, UsageError } from '../command.ts';
import { hasOption } from '../options.ts';

/** The option of commands that set a password. */
export const PASSWORD_OPTION = { 'password-stdin': { type: 'boolean' } } as const;

/**
 * Reads a password, with `--password-stdin` from standard input, and otherwise from the terminal.
 *
 * @throws UsageError if standard input is not a terminal
 */
export async function readPassword(context: Context): Promise<string> {
  requirePasswordInput(context);
  return hasOption(context, 'password-stdin') ? readInput(context) : askTwice(context, 'New password: ');
}

/** Like `readPassword`. @returns undefined if the user enters nothing, or standard input is not a terminal */
export async function readOptionalPassword(context: Context): Promise<string | undefined> {
  if (hasOption(context, 'password-stdin')) return readInput(context);
  if (hasOption(context, 'no-password') || context.askHidden === undefined) return undefined;
  const password = await askTwice(context, 'Password (empty for a user who cannot sign in yet): ');
  return password === '' ? undefined : password;
}

/** @throws UsageError if there is no way to read a password */
export function requirePasswordInput(context: Context): void {
  if (hasOption(context, 'password-stdin') || context.askHidden !== undefined) return;
  throw new UsageError(
    '--password-stdin is missing: standard input is not a terminal, so the command cannot ask for the password',
  );
}

/** Without the line break at the end that files and `echo` add. */
async function readInput({ stdin }: Context): Promise<string> {
  return (await stdin()).replace(/\r?\n$/, '');
}

async function askTwice({ askHidden }: Context, prompt: string): Promise<string> {
  const [password = '', repeated] = (await askHidden?.([prompt, 'Repeat the password: '])) ?? [];
  if (normalizePassword(password) === normalizePassword(repeated ?? '')) return password;
  throw new CommandError('the two passwords are different; nothing was changed');
}
