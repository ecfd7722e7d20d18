import type { Account } from '../model/account.ts';
import type { AuditAction } from '../model/audit.ts';
import type { Services } from '../server/services.ts';
import {
  type Command,
  type Context,
  granted,
  hasOption,
  requireOption,
  textOption,
  UsageError,
} from './command.ts';
import { type Row, showRow, showRows } from './output.ts';
import { accountFor, note, withServices } from './withServices.ts';

/** `postern users create`. */
export const createUser: Command = {
  name: 'users create',
  usage: '--email E [--name N] [--admin] [--password-stdin]',
  summary: 'Makes a user; without a password nobody can sign in as that user yet.',
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    admin: { type: 'boolean' },
    'password-stdin': { type: 'boolean' },
  },
  async run(context) {
    const email = requireOption(context, 'email');
    const name = textOption(context, 'name');
    const isAdmin = hasOption(context, 'admin');
    const password = hasOption(context, 'password-stdin') ? await readPassword(context) : undefined;
    return withServices(context, async (services) => {
      const account = granted(await services.accounts.create({ email, name, isAdmin, password }));
      await note(services, 'user-created', account.email);
      showRow(context, accountRowOf(services, account));
    });
  },
};

/** `postern users list`. */
export const listUsers: Command = {
  name: 'users list',
  usage: '',
  summary: 'Shows all users.',
  options: {},
  async run(context) {
    return withServices(context, async (services) => {
      const accounts = await services.accounts.list();
      showRows(
        context,
        accounts.map((account) => accountRowOf(services, account)),
        ['id', 'email', 'name', 'admin', 'plan', 'disabled'],
      );
    });
  },
};

/** `postern users passwd`. */
export const setPassword: Command = {
  name: 'users passwd',
  usage: '--email E --password-stdin',
  summary: 'Sets a password, read from standard input, and signs the user out everywhere.',
  options: { email: { type: 'string' }, 'password-stdin': { type: 'boolean' } },
  async run(context) {
    const email = requireOption(context, 'email');
    if (!hasOption(context, 'password-stdin')) {
      throw new UsageError('--password-stdin is missing: a password is read from standard input only');
    }
    const password = await readPassword(context);
    return withServices(context, async (services) => {
      const account = granted(await services.accounts.setPassword(email, password));
      await note(services, 'password-changed', account.email);
      showRow(context, accountRowOf(services, account));
    });
  },
};

/** `postern users disable`. */
export const disableUser: Command = standingCommand(
  'users disable',
  'Stops a user: no signing in, and no API key of theirs works; what they own goes on.',
  'disable',
  'user-disabled',
);

/** `postern users enable`. */
export const enableUser: Command = standingCommand(
  'users enable',
  'Ends that a user is disabled.',
  'enable',
  'user-enabled',
);

function standingCommand(
  name: string,
  summary: string,
  change: 'disable' | 'enable',
  action: AuditAction,
): Command {
  return {
    name,
    usage: '--email E',
    summary,
    options: { email: { type: 'string' } },
    async run(context) {
      const email = requireOption(context, 'email');
      return withServices(context, async (services) => {
        const { id } = await accountFor(services, email);
        const account = granted(await services.users[change]('command line', id));
        await note(services, action, account.email);
        showRow(context, accountRowOf(services, account));
      });
    },
  };
}
/** `postern users sign-out`. */
export const signOutUsers: Command = {
  name: 'users sign-out',
  usage: '--email E | --everyone',
  summary: 'Ends all sessions of a user, or of every user.',
  options: { email: { type: 'string' }, everyone: { type: 'boolean' } },
  async run(context) {
    const email = textOption(context, 'email');
    const isEveryone = hasOption(context, 'everyone');
    if (isEveryone === (email !== undefined)) throw new UsageError('give either --email or --everyone');
    return withServices(context, async (services) => {
      if (email === undefined) {
        const ended = granted(await services.users.endAllSessions('command line'));
        await note(services, 'sessions-ended', 'everyone');
        return showRow(context, { ended });
      }
      const { id } = await accountFor(services, email);
      const { account, ended } = granted(await services.users.endSessions('command line', id));
      await note(services, 'sessions-ended', account.email);
      showRow(context, { ended });
    });
  },
};

/** `postern users reset-2fa`. */
export const resetSecondFactor: Command = {
  name: 'users reset-2fa',
  usage: '--email E',
  summary: 'Turns off two-factor authentication of a user, and signs the user out everywhere.',
  options: { email: { type: 'string' } },
  async run(context) {
    const email = requireOption(context, 'email');
    return withServices(context, async (services) => {
      const account = await accountFor(services, email);
      const hadOne = await services.authentication.secondFactors.reset(account);
      if (hadOne) await note(services, 'second-factor-disabled', account.email);
      showRow(context, accountRowOf(services, account));
    });
  },
};

/** Files and `echo` end in a line break that nobody means. */
async function readPassword({ stdin }: Context): Promise<string> {
  return (await stdin()).replace(/\r?\n$/, '');
}

/** A user, as commands show one. */
export function accountRowOf(
  { ids }: Services,
  { id, email, name, isAdmin, plan, disabledAt }: Account,
): Row {
  const disabled = disabledAt !== undefined;
  return { id: ids.seal('account', id), email, name, admin: isAdmin, plan, disabled };
}
