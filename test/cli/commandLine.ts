import { afterAll, expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/run.ts';
import { removeDatabase, storageSettings } from '../support/testStorage.ts';
import { useFixture } from '../support/useServer.ts';

const EXECUTABLE = process.env.TEST_EXECUTABLE;

/** The command that runs the program in its own process: the executable in `npm test`, because it starts faster; otherwise, the sources. */
export const PROGRAM: readonly [string, ...string[]] =
  EXECUTABLE === undefined ? [process.execPath, join(import.meta.dir, '../../src/main.ts')] : [EXECUTABLE];

/** Matches an id. */
export const ID = expect.stringMatching(/^[A-Za-z0-9_-]{22}$/);
/** Matches a time in ISO 8601. */
export const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The result of a command. */
export type Ended = { readonly code: number; readonly out: string; readonly err: string };

export type RunOptions = {
  /** Added to the environment, which contains the data folder, `POSTERN_DNS_CHECK=off`, and, for `spawn`, `PATH`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly stdin?: string;
};

/** The command line with its own data folder, which does not exist at first. */
export type CommandLine = {
  /** Contains the data folder, and is the working folder of the commands. */
  readonly folder: string;
  readonly dataDir: string;
  /** The settings of the commands, for servers on the same data. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /**
   * Runs a command in this process, ten times faster than in a new process.
   *
   * @param command arguments, separated by spaces; `~` within an argument stands for a space
   */
  readonly run: (command: string, options?: RunOptions) => Promise<Ended>;
  /** Runs a command in its own process, to test standard input, pipes, the environment, and exit codes. */
  readonly spawn: (command: string, options?: RunOptions) => Promise<Ended>;
  /**
   * Runs a command with `--json`. Expects exit code 0, one document on standard output, and nothing on standard error except
   * that the data folder was created.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each test states the expected document
  readonly json: (command: string, options?: RunOptions) => Promise<any>;
  readonly remove: () => Promise<void>;
};

/** Creates a command line, which is removed after the tests. */
export function useCommandLine(): CommandLine {
  const cli = createCommandLine();
  afterAll(cli.remove);
  return cli;
}

export function createCommandLine(): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'postern-cli-'));
  const dataDir = join(folder, 'data');
  const environment = async () => ({
    POSTERN_DATA_DIR: dataDir,
    POSTERN_DNS_CHECK: 'off',
    ...(await storageSettings(dataDir)),
  });
  const toArguments = (command: string) => command.split(' ').map((text) => text.replaceAll('~', ' '));

  async function run(command: string, { settings = {}, stdin = '' }: RunOptions = {}): Promise<Ended> {
    let out = '';
    let err = '';
    const code = await runCommandLine(toArguments(command), {
      environment: { ...(await environment()), ...settings },
      out: (line) => {
        out += `${line}\n`;
      },
      err: (line) => {
        err += `${line}\n`;
      },
      stdin: async () => stdin,
      input: () => new Blob([stdin]).stream(),
    });
    return { code, out, err };
  }

  async function spawn(command: string, { settings = {}, stdin = '' }: RunOptions = {}): Promise<Ended> {
    const child = Bun.spawn([...PROGRAM, ...toArguments(command)], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...(await environment()), ...settings },
      stdin: new Blob([stdin]),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, out, err };
  }

  async function json(command: string, options?: RunOptions) {
    const { code, out, err } = await run(`${command} --json`, options);
    const warnings = err.replace(/^postern: creating the data folder .*\n/, '');
    expect({ command, code, warnings }).toEqual({ command, code: 0, warnings: '' });
    expect(out.endsWith('\n') && out.trimEnd().split('\n').length === 1).toBe(true);
    return JSON.parse(out);
  }

  return {
    folder,
    dataDir,
    environment,
    run,
    spawn,
    json,
    async remove() {
      await removeDatabase(dataDir);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Two users, each with an organization. Ann's organization has a property that requires almost no work. */
export type SampleData = {
  /** The id of the organization of ann@example.com, an administrator. */
  readonly annOrg: string;
  /** The id of the organization of ben@example.com. */
  readonly benOrg: string;
  readonly sitekey: string;
};

/** Creates the sample data before the tests. */
export function useSampleData(cli: CommandLine): SampleData {
  return useFixture(() => addSampleData(cli));
}

export async function addSampleData({ json }: CommandLine): Promise<SampleData> {
  await json('users create --email ann@example.com --name Ann --admin');
  await json('users create --email ben@example.com');
  const { id: annOrg } = await json('orgs create --user ann@example.com --name Ann~and~friends');
  const { id: benOrg } = await json('orgs create --user ben@example.com --name Ben');
  const property = `--org ${annOrg} --name Shop --domain example.com --level 1 --growth constant`;
  const { sitekey } = await json(`properties create ${property}`);
  return { annOrg, benOrg, sitekey };
}
