import type { Outcome } from '../lib/outcome.ts';
import { type Account, normalizePassword } from '../model/account.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import type { Problem } from '../model/problems.ts';
import type { Services } from '../server/services.ts';
import { type Command, CommandError, type Context, UsageError } from './command.ts';
import { hasOption, requireOption, textOption, unwrap } from './options.ts';
import { printRow, printRows, type Row } from './output.ts';
import { requireUser, withServices } from './withServices.ts';

/**
 * Reads a password, with `--password-stdin` from standard input, and otherwise from the terminal.
 *
 * @throws UsageError if standard input is not a terminal
 */
async function readPassword(context: Context): Promise<string> {
  requirePasswordInput(context);
  return hasOption(context, 'password-stdin') ? readInput(context) : askTwice(context, 'New password: ');
}

/** Like `readPassword`. @returns undefined if the user enters nothing, or standard input is not a terminal */
async function readOptionalPassword(context: Context): Promise<string | undefined> {
  if (hasOption(context, 'password-stdin')) return readInput(context);
  if (hasOption(context, 'no-password') || context.askHidden === undefined) return undefined;
  const password = await askTwice(context, 'Password (empty for a user who cannot sign in yet): ');
  return password === '' ? undefined : password;
}

/** @throws UsageError if there is no way to read a password */
function requirePasswordInput(context: Context): void {
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

const EMAIL = 'Email address of the user.';

const userCreate: Command = {
  name: 'users create',
  usage: '--email E [--name N] [--admin] [--password-stdin | --no-password]',
  summary:
    'Creates a user. On a terminal, the command asks for the password. A user without a password cannot sign in.',
  options: {
    email: 'Email address with which the user signs in.',
    name: 'Name of the user. Default: the email address.',
    admin: 'Makes the user an administrator.',
    'password-stdin': 'Reads the password from standard input.',
    'no-password': 'Creates the user without a password and does not ask for one.',
  },
  example: 'postern users create --email ann@example.com --name Ann --admin',
  async run(context) {
    const email = requireOption(context, 'email');
    const name = textOption(context, 'name');
    const isAdmin = hasOption(context, 'admin');
    if (hasOption(context, 'no-password') && hasOption(context, 'password-stdin'))
      throw new UsageError('--password-stdin and --no-password cannot be used together');
    const password = await readOptionalPassword(context);
    return withServices(context, async (services) => {
      const draft = { email, name, isAdmin, password };
      const account = unwrap(await services.users.create(COMMAND_LINE, draft));
      printRow(context, toUserRow(services, account));
    });
  },
};

const userList: Command = {
  name: 'users list',
  usage: '',
  summary: 'Lists all users.',
  example: 'postern users list --json',
  async run(context) {
    return withServices(context, async (services) => {
      const users = await services.users.list(COMMAND_LINE);
      const rows = users.map((user) => toUserRow(services, user));
      printRows(context, rows, ['id', 'email', 'name', 'admin', 'plan', 'disabled']);
    });
  },
};

const userPasswd: Command = {
  name: 'users passwd',
  usage: '--email E [--password-stdin]',
  summary:
    'Sets a password, read from the terminal or from standard input, and ends all sessions of the user.',
  options: { email: EMAIL, 'password-stdin': 'Reads the password from standard input.' },
  example: 'postern users passwd --email ann@example.com',
  async run(context) {
    const email = requireOption(context, 'email');
    requirePasswordInput(context);
    return withServices(context, async (services) => {
      // Before the user has to type a password.
      await requireUser(services, email);
      const password = await readPassword(context);
      const account = unwrap(await services.users.setPassword(COMMAND_LINE, email, password));
      printRow(context, toUserRow(services, account));
    });
  },
};

const userSetEmail = createUserCommand('set-email', {
  usage: '--new-email E',
  summary: 'Changes the email address with which a user signs in.',
  options: { 'new-email': 'New email address.' },
  example: 'postern users set-email --email ben@example.com --new-email ben@example.org',
  option: 'new-email',
  change: ({ users }, { id }, newEmail) => users.setEmail(COMMAND_LINE, id, newEmail),
});

const userSignOut: Command = {
  name: 'users sign-out',
  usage: '--email E | --everyone',
  summary: 'Ends all sessions of one user, or of all users.',
  options: { email: EMAIL, everyone: 'Ends the sessions of all users.' },
  example: 'postern users sign-out --email ben@example.com',
  async run(context) {
    const email = textOption(context, 'email');
    const isEveryone = hasOption(context, 'everyone');
    if (isEveryone === (email !== undefined)) throw new UsageError('use either --email or --everyone');
    return withServices(context, async (services) => {
      if (email === undefined)
        return printRow(context, { ended: unwrap(await services.users.endAllSessions(COMMAND_LINE)) });
      const { id } = await requireUser(services, email);
      printRow(context, { ended: unwrap(await services.users.endSessions(COMMAND_LINE, id)) });
    });
  },
};

const userResetTwoFactor = createUserCommand('reset-2fa', {
  summary: 'Turns off two-factor authentication for a user, and ends all sessions of the user.',
  example: 'postern users reset-2fa --email ann@example.com',
  async change({ authentication }, account) {
    const reset = await authentication.twoFactor.reset(COMMAND_LINE, account);
    return reset.ok ? { ok: true, value: account } : reset;
  },
});

const userSetPlan = createUserCommand('set-plan', {
  usage: '--plan NAME',
  summary: 'Changes the plan of a user.',
  options: { plan: 'Name of the plan.' },
  example: 'postern users set-plan --email ben@example.com --plan small',
  option: 'plan',
  change: ({ users }, { id }, plan) => users.setPlan(COMMAND_LINE, id, plan),
});

const userDisable = createUserCommand('disable', {
  summary:
    "Disables a user, who can no longer sign in or use API keys. The user's organizations and properties continue to work.",
  example: 'postern users disable --email ben@example.com',
  change: ({ users }, { id }) => users.disable(COMMAND_LINE, id),
});

const userEnable = createUserCommand('enable', {
  summary: 'Enables a disabled user.',
  example: 'postern users enable --email ben@example.com',
  change: ({ users }, { id }) => users.enable(COMMAND_LINE, id),
});

type UserChange = Pick<Command, 'summary' | 'options' | 'example'> & {
  /** How to write the option that the change needs. */
  readonly usage?: string;
  /** The name of the option that the change needs. */
  readonly option?: string;
  /** @param value of the option; empty if the change needs none */
  change(services: Services, account: Account, value: string): Promise<Outcome<Account, Problem>>;
};

/** A command that changes the user of `--email` and prints the user. */
function createUserCommand(verb: string, { usage, option, change, options, ...texts }: UserChange): Command {
  return {
    name: `users ${verb}`,
    usage: usage === undefined ? '--email E' : `--email E ${usage}`,
    options: { email: EMAIL, ...options },
    ...texts,
    async run(context) {
      const email = requireOption(context, 'email');
      const value = option === undefined ? '' : requireOption(context, option);
      return withServices(context, async (services) => {
        const account = await requireUser(services, email);
        printRow(context, toUserRow(services, unwrap(await change(services, account, value))));
      });
    },
  };
}

/** The fields that commands print for a user. */
function toUserRow({ ids }: Services, account: Account): Row {
  const { id, email, name, isAdmin, plan, disabledAt } = account;
  return {
    id: ids.seal('account', id),
    email,
    name,
    admin: isAdmin,
    plan,
    disabled: disabledAt !== undefined,
  };
}

/** The commands for users, in the order of `postern help`. */
export const userCommands: readonly Command[] = [
  userCreate,
  userList,
  userPasswd,
  userSetEmail,
  userSignOut,
  userResetTwoFactor,
  userSetPlan,
  userDisable,
  userEnable,
];
