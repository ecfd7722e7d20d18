import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NPM_PACKAGES } from '../../../build/packages.ts';
import { COMMON_OPTIONS, optionsOf } from '../../../src/cli/command.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { SETTINGS } from '../../../src/settings.ts';
import { ROOT } from '../../architecture/tree.ts';
import { createFixture, type Fixture } from './fixture.ts';
import { commandsOf, type ShellCommand } from './shell.ts';
import { type Printed, printedCommands } from './sources.ts';

/**
 * Runs every command that a page, a message, or a document prints. The page for a forgotten password printed a command that ended with an
 * error.
 */

setDefaultTimeout(300_000);

/** Commands of Postern that do not run here, and why. Every row must match a command. */
const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^serve\b|^$/, 'does not end; test/e2e starts servers, also with these settings'],
  [/^move --to postgres:/, 'needs PostgreSQL; test/cli/move.test.ts runs it'],
  [/^move --to \/|^move --to FOLDER$/, 'needs PostgreSQL; test/cli/move.test.ts runs it'],
  [/^move$/, 'the name that connections of `postern move` have in PostgreSQL'],
  [/^backup -$/, 'writes to standard output; test/cli/backup/backup.test.ts runs it'],
  [/^restore -$/, 'reads a file from standard input; test/cli/backup/restore.test.ts runs it'],
  [
    /^(?:doctor|healthcheck)$/,
    'the result depends on the machine; test/cli/doctor and test/cli/server.test.ts run it',
  ],
];

/** Programs of others, and why their commands do not run here. Every row must match a command. */
const OTHERS: Readonly<Record<string, string>> = {
  curl: 'needs a server with the objects of the example; test/e2e/readme.test.ts and test/http send these requests',
  docker: 'test/container builds and runs the image with buildah and runc',
  kubectl: 'needs a cluster; test/deploy/manifests.test.ts checks the manifests',
  systemctl: 'needs root and systemd; test/debian/service.test.ts manages the service',
  'systemd-run': 'needs root and systemd; the command that it runs is run here',
  journalctl: 'needs systemd',
  apt: 'test/debian/package.test.ts installs the package',
  'apt-get': 'needs root; test/packages.ts installs packages',
  dnf: 'needs Fedora; test/release/release.test.ts checks the package',
  promtool: 'test/deploy runs it',
  timedatectl: 'changes the clock of the machine',
  pg_dump: 'test/deploy/clusterGuide.test.ts runs it',
  age: 'test/cli/backup runs it',
  minisign: 'test/release signs and verifies with these options',
  openssl: 'creates random numbers, and computes digests; standard options',
  chown: 'needs root',
  chmod: 'standard options',
  install: 'needs root; standard options',
  useradd: 'needs root; deploy/packages/postinst has the same command, which test/debian runs',
  tar: 'standard options; test/cli/backup reads the archives',
  git: 'needs the repository of the reader',
  cd: 'changes the folder',
  export: 'sets variables of the shell',
  ssh: 'needs another machine',
  echo: 'standard options',
  diff: 'standard options',
  grep: 'standard options',
  jq: 'standard options',
  sleep: 'standard options',
  sed: 'test/deploy/clusterGuide.test.ts runs it',
  awk: 'standard options; test/e2e/readme.test.ts runs it',
  pg_basebackup: 'test/deploy/clusterGuide.test.ts runs it',
  psql: 'test/deploy/clusterGuide.test.ts runs it',
  pg_restore: 'test/deploy/clusterGuide.test.ts runs it',
  rotatelogs: 'needs the package apache2-utils',
  umask: 'standard options',
  rm: 'standard options',
  userdel: 'needs root; deploy/packages/postrm has the same command, which test/debian runs',
  source: 'the completions are run here; test/cli/completions.test.ts loads them',
  sha256sum: 'standard options; test/release checks the file',
  sh: 'the script is run here',
  kill: 'signals the server; test/debian/service.test.ts reloads the service',
  ask: 'a function that the example defines',
  './create-secrets.sh': 'test/deploy/cluster.test.ts runs it',
};

type Found = Printed & { readonly command: ShellCommand };

const printed = await printedCommands();
const used = new Set<unknown>();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});
afterAll(() => fixture.close());

const isPostern = (word: string) => /^(?:\.\/dist\/|\/usr\/local\/bin\/)?postern$/.test(word);
const startsCommand = (words: readonly string[]) =>
  words.length === 0 || COMMANDS.some(({ name }) => name === words[0] || name.startsWith(`${words[0]} `));

/** The commands of a text, also those that are arguments of `sh -c`. `sudo` and its options are removed. */
function allCommands(found: Printed): readonly Found[] {
  return commandsOf(found.script).flatMap((command) => {
    const words =
      command.words[0] === 'sudo' ? command.words.slice(command.words[1] === '-u' ? 3 : 1) : command.words;
    const script =
      /^(?:sh|bash)$/.test(words.at(-3) ?? '') && words.at(-2) === '-c' ? words.at(-1) : undefined;
    const inner = script === undefined ? [] : allCommands({ ...found, script });
    return [{ ...found, command: { ...command, words } }, ...inner];
  });
}

/** @returns the words after the name of the program; undefined if the command does not run Postern */
function posternWords({ words }: ShellCommand): readonly string[] | undefined {
  const at = words.findIndex(
    (word, index) => isPostern(word) && (index === 0 || startsCommand(words.slice(index + 1))),
  );
  return at === -1 || (at === words.length - 1 && at > 0) ? undefined : words.slice(at + 1);
}

/** Whether a mention, which may be incomplete, names only commands and options that exist. */
function isKnown(words: readonly string[]): boolean {
  const length = words.findIndex((word) => word.startsWith('-'));
  const names = (length === -1 ? words : words.slice(0, length)).slice(0, 2).join(' ');
  const commands = COMMANDS.filter(
    ({ name }) =>
      name === names || name.startsWith(`${names} `) || names.startsWith(`${name} `) || name === words[0],
  );
  const options = new Set(
    commands.flatMap((command) =>
      Object.keys({ ...COMMON_OPTIONS, ...optionsOf(command) }).map((option) => `--${option}`),
    ),
  );
  return (
    commands.length > 0 && words.filter((word) => word.startsWith('--')).every((word) => options.has(word))
  );
}

async function faultsOf(found: Printed): Promise<readonly string[]> {
  const installation = await fixture.open();
  const faults: string[] = [];
  for (const { command, kind } of allCommands(found)) {
    const { words, assignments } = command;
    const shown = words.join(' ');
    faults.push(...[...assignments, ...settingsIn(words)].flatMap(faultsOfSetting));
    const postern = posternWords(command);
    if (words.length > 0 && (postern === undefined || !isPostern(words[0] ?? ''))) {
      faults.push(...faultsOfOther(words).map((fault) => `${shown}: ${fault}`));
    }
    if (postern === undefined) continue;
    const row = NOT_RUN.find(([pattern]) => pattern.test(postern.join(' ')));
    if (row !== undefined) {
      used.add(row);
      if (!isKnown(postern) && postern.length > 0) faults.push(`${shown}: unknown command or option`);
      continue;
    }
    const { code, err } = await installation.run(postern);
    const isMention = kind === 'mention' && code === 2 && isKnown(postern);
    if (code !== 0 && !isMention) faults.push(`${shown}: exit code ${code}: ${err}`);
  }
  installation.remove();
  return faults;
}

/** Settings that are arguments, such as `-e POSTERN_PORT=80`. */
function settingsIn(words: readonly string[]): readonly (readonly [string, string])[] {
  return words.flatMap((word) => {
    const [, name, value = ''] = /^(?:--setenv=)?(POSTERN_\w+)=(.*)$/.exec(word) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
}

function faultsOfSetting([name, value]: readonly [string, string]): readonly string[] {
  if (!name.startsWith('POSTERN_')) return [];
  const variable = name.replace(/_FILE$/, '');
  const setting = SETTINGS.find(
    (known) => known.variable === name || (known.isSecret && known.variable === variable),
  );
  if (setting === undefined) return [`${name} is not a setting`];
  const isFile = setting.variable !== name;
  return isFile || setting.parse(value) !== undefined ? [] : [`${name} does not accept ${value}`];
}

function faultsOfOther(words: readonly string[]): readonly string[] {
  const [program = ''] = words;
  if (['npm', 'npx', 'bun'].includes(program)) return faultsOfScript(words);
  const reason = OTHERS[program];
  if (reason === undefined) return ['add the program to the table, or run the command'];
  used.add(program);
  return [];
}

const { scripts, version } = {
  ...(await Bun.file(join(ROOT, 'package.json')).json()),
  version: Bun.version,
} as { scripts: Record<string, string>; version: string };

/** `npm install` of our packages, `npm run SCRIPT`, `npm start`, `npx --yes bun@VERSION …`, `bun run SCRIPT`, and `bun FILE`. */
function faultsOfScript(words: readonly string[]): readonly string[] {
  const [program, ...rest] = words.filter((word) => word !== '--yes');
  if (program === 'npx') {
    const [tool = '', ...others] = rest;
    return tool === `bun@${version}` ? faultsOfScript(['bun', ...others]) : [`the version is bun@${version}`];
  }
  const [verb = '', name = ''] = rest;
  if (verb === 'run') return name in scripts ? [] : [`package.json has no script ${name}`];
  if (program === 'npm' && verb === 'install') {
    const isOurs = NPM_PACKAGES.some((ours) => name === `@postern/${ours}`);
    return isOurs ? [] : [`${name} is not one of our packages`];
  }
  if (program === 'npm') return verb in scripts ? [] : [`package.json has no script ${verb}`];
  if (verb === 'install' || verb === 'build' || verb.startsWith('-')) return [];
  const file = verb === 'test' ? rest.findLast((word) => word.includes('/')) : verb;
  return file === undefined || existsSync(join(ROOT, file)) ? [] : [`${file} does not exist`];
}

describe('the commands that are printed', () => {
  const byFile = Map.groupBy(printed, ({ file }) => file);

  test.each([...byFile.keys()])('in %s work', async (file) => {
    const faults = [];
    for (const found of byFile.get(file) ?? []) faults.push(...(await faultsOf(found)));
    expect(faults).toEqual([]);
  });

  test('are found on pages, in messages, in documents, in deployment files, and in the manual page', () => {
    const files = [...byFile.keys()];
    for (const file of [
      'src/portal/account/signIn.tsx',
      'src/portal/onboarding/setup.tsx',
      'src/storage/sqlite/content.ts',
      'src/cli/doctor/databaseChecks.ts',
      'docs/reference/cli.md',
      'README.md',
      'deploy/systemd/postern.service',
      'build/release/manPage.ts',
    ]) {
      expect(files).toContain(file);
    }
  });

  test('leave no row of the tables unused', () => {
    const unused = [...NOT_RUN, ...Object.keys(OTHERS)].filter((row) => !used.has(row));
    expect(unused).toEqual([]);
  });
});

describe('the commands of a shell script', () => {
  test.each([
    ['postern users list # all', [['postern', 'users', 'list']]],
    [`A=1 B='x y' postern a "b c"`, [['postern', 'a', 'b c']]],
    [
      'X=$(postern solve --a b) ; echo "$X" > file',
      [
        ['postern', 'solve', '--a', 'b'],
        ['echo', '$X'],
      ],
    ],
    [
      'postern a \\\n  b |\n  curl -s c < d',
      [
        ['postern', 'a', 'b'],
        ['curl', '-s', 'c'],
      ],
    ],
    ['source <(postern completions bash)', [['source'], ['postern', 'completions', 'bash']]],
    [
      'until postern healthcheck >/dev/null 2>&1; do sleep 0.1; done',
      [
        ['postern', 'healthcheck'],
        ['sleep', '0.1'],
      ],
    ],
  ])('%j', (script, expected) => {
    const words = commandsOf(script).flatMap(({ words }) => (words.length === 0 ? [] : [[...words]]));
    expect(words).toEqual(expected);
  });
});
