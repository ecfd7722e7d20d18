import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { COMMON_OPTIONS, optionsOf } from '../../../src/cli/command.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { PASSWORD } from '../../support/portal.ts';
import { startServer, type TestServer } from '../../support/server.ts';

/** Runs printed commands on the data of an installation, with values in the place of those that readers replace. */

export type Ended = { readonly code: number; readonly err: string };

export type Fixture = {
  /** A copy of the installation, on which the commands of one script run one after another. */
  readonly open: () => Promise<Installation>;
  readonly close: () => Promise<void>;
};

export type Installation = {
  /** @param words of the command, without the name of the program */
  readonly run: (words: readonly string[]) => Promise<Ended>;
  readonly remove: () => void;
};

const RULE = { name: 'Bots', action: 'block', conditions: { user_agents: ['*bot*'] } };

// biome-ignore lint/suspicious/noExplicitAny: as in test/cli/commandLine.ts
type Json = (...words: readonly string[]) => Promise<any>;

/** Creates an installation with an object of each kind, a server, and the files that commands read. */
export async function createFixture(): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-printed-'));
  const server = await startServer();
  const original = createRunner(join(folder, 'original'));
  await prepare(original);
  let copies = 0;
  return {
    async open() {
      const copy = join(folder, `copy-${++copies}`);
      cpSync(original.folder, copy, { recursive: true });
      return openInstallation(createRunner(copy), server);
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Runner = {
  readonly folder: string;
  readonly run: (words: readonly string[]) => Promise<Ended & { readonly out: string }>;
  readonly json: Json;
};

function createRunner(folder: string): Runner {
  mkdirSync(folder, { recursive: true });
  const environment = { POSTERN_DATA_DIR: join(folder, 'data'), POSTERN_DNS_CHECK: 'off' };
  async function run(words: readonly string[]) {
    let [out, err] = ['', ''];
    const code = await runCommandLine(words, {
      environment,
      out: (line) => {
        out += `${line}\n`;
      },
      err: (line) => {
        err += `${line}\n`;
      },
      stdin: async () => PASSWORD,
      // The reader is at a terminal.
      askHidden: async (prompts) => prompts.map(() => PASSWORD),
    });
    return { code, out, err };
  }
  return {
    folder,
    run,
    async json(...words) {
      const { code, out, err } = await run([...words, '--json']);
      if (code !== 0) throw new Error(`${words.join(' ')}: ${err}`);
      return JSON.parse(out);
    },
  };
}

const FIRST_USER = 'first@fixture.example';
/** The user that examples name as a member. */
const MEMBER = 'ben@example.com';

async function prepare({ folder, json, run }: Runner): Promise<void> {
  await json('users', 'create', '--email', FIRST_USER, '--admin');
  const { id: org } = await json('orgs', 'create', '--user', FIRST_USER, '--name', 'Fixture');
  await json('users', 'create', '--email', MEMBER, '--no-password');
  await json('orgs', 'add-member', '--org', org, '--user', MEMBER);
  await json(...['properties', 'create', '--org', org, '--name', 'Fixture', '--domain', 'fixture.example']);
  const { id: key } = await json(
    ...['keys', 'create', '--user', FIRST_USER, '--name', 'Key', '--scope', 'verify'],
  );
  await json('keys', 'rotate', key, '--keep-old', '24h');
  await json('plans', 'set', 'small', '--orgs', '5', '--properties', '50');
  writeFileSync(join(folder, 'rule.json'), JSON.stringify(RULE));
  writeFileSync(join(folder, 'rules.json'), JSON.stringify([RULE, { ...RULE, name: 'More bots' }]));
  writeFileSync(join(folder, 'passphrase'), 'a long passphrase of the fixture\n');
  await json('rules', 'set', join(folder, 'rules.json'));
  await json('backup', join(folder, 'backup.tar'));
  await run(['export', join(folder, 'organizations.json')]);
}

/** The values of options that name objects. */
const OPTION_VALUES: Readonly<Record<string, (json: Json, server: TestServer) => Promise<string>>> = {
  '--org': async (json) => (await json('orgs', 'list'))[0].id,
  '--property': async (json) => (await properties(json)).sitekey,
  '--plan': async () => 'small',
  '--url': async (_, { url }) => url,
  // Property of the server for tests of integrations, whose puzzles are easy.
  '--sitekey': async () => 'aaaaaaaabbbbccccddddeeeeeeeeeeee',
};

async function properties(json: Json) {
  const [{ id }] = await json('orgs', 'list');
  return (await json('properties', 'list', '--org', id))[0];
}

/** The first operands of commands that name objects. */
const OPERANDS: Readonly<Record<string, (json: Json) => Promise<string>>> = {
  'keys rotate': async (json) => (await json('keys', 'list'))[0].id,
  'keys end-old': async (json) => (await json('keys', 'list'))[0].id,
  'keys revoke': async (json) => (await json('keys', 'list'))[0].id,
  'properties enable': async (json) => (await properties(json)).id,
  'properties disable': async (json) => (await properties(json)).id,
  'properties attack': async (json) => (await properties(json)).id,
  'rules update': async (json) => (await json('rules', 'list')).rules[0].id,
  'rules move': async (json) => (await json('rules', 'list')).rules[0].id,
  'rules remove': async (json) => (await json('rules', 'list')).rules[0].id,
};

function openInstallation(runner: Runner, server: TestServer): Installation {
  const { folder, json } = runner;
  /** The addresses that stand for placeholders. */
  const emailOf = (text: string) => (text.includes('@') ? text : `${text.toLowerCase()}@fixture.example`);

  async function ensureUser(email: string): Promise<void> {
    const users: { email: string }[] = await json('users', 'list');
    if (users.every((user) => user.email !== email.toLowerCase())) {
      await json('users', 'create', '--email', email, '--no-password');
    }
  }

  async function valueFor(option: string, value: string, name: string): Promise<string> {
    if (option === '--email' || option === '--user') {
      const email = emailOf(value);
      if (name !== 'users create') await ensureUser(email);
      return email;
    }
    if (option === '--new-email') return emailOf(value);
    if (/^--(?:orgs|properties|burst|limit)$/.test(option) && value === 'N') return '5';
    if (/-file$|^--data-dir$/.test(option))
      return option === '--data-dir' ? join(folder, 'data') : join(folder, 'passphrase');
    return (await OPTION_VALUES[option]?.(json, server)) ?? value;
  }

  async function operandFor(name: string, index: number, value: string): Promise<string> {
    const known = index === 0 ? OPERANDS[name] : undefined;
    if (known !== undefined) return known(json);
    if (name === 'plans set') return value === 'default' || value === 'invited' ? value : 'small';
    if (name === 'export' && value !== '-') rmSync(join(folder, value), { force: true });
    if (value.endsWith('.json')) return join(folder, value);
    if (name === 'restore') return join(folder, 'backup.tar');
    if (name === 'backup' && value !== '-') {
      const file = join(folder, 'files', value);
      mkdirSync(dirname(file), { recursive: true });
      return file;
    }
    return value;
  }

  return {
    async run(words) {
      const [group = '', verb = ''] = words;
      const length = verb !== '' && !verb.startsWith('-') && GROUPS.has(group) ? 2 : 1;
      const name = words.slice(0, length).join(' ');
      const result: string[] = [...words.slice(0, length)];
      let operands = 0;
      for (let at = length; at < words.length; at++) {
        const word = words[at] ?? '';
        const value = words[at + 1];
        if (!word.startsWith('--') || word === '-') result.push(await operandFor(name, operands++, word));
        else if (value === undefined || value.startsWith('--') || FLAGS.has(word)) result.push(word);
        else {
          result.push(word, await valueFor(word, value, name));
          at++;
        }
      }
      const isSafeRestore = name === 'restore' && !words.includes('--force');
      if (isSafeRestore) rmSync(join(folder, 'data'), { recursive: true });
      return runner.run(result);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The first words of commands with two words, and the options without a value. */
const GROUPS = new Set(
  COMMANDS.flatMap(({ name }) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])),
);
const FLAGS = new Set(
  COMMANDS.flatMap((command) =>
    Object.entries({ ...COMMON_OPTIONS, ...optionsOf(command) }).flatMap(([option, { type }]) =>
      type === 'boolean' ? [`--${option}`] : [],
    ),
  ),
);
