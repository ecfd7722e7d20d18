import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/run.ts';

/** The program from its sources, for a process of its own. */
export const PROGRAM = [process.execPath, join(import.meta.dir, '../../src/main.ts')] as const;

/** How a command ended. */
export type Ended = { readonly code: number; readonly out: string; readonly err: string };

export type RunOptions = {
  /** Beside these, the environment has the data folder, no DNS check, and in a process of its own `PATH`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly stdin?: string;
};

/** A data folder that no server made yet, and the command line on it. */
export type Desk = {
  /** Holds the data folder, and is the working folder of the commands. */
  readonly folder: string;
  readonly dataDir: string;
  /**
   * Runs a command in this process, which costs a tenth of starting one.
   *
   * @param words separated by spaces; `~` within a word stands for a space
   */
  readonly run: (words: string, options?: RunOptions) => Promise<Ended>;
  /** Runs the same in a process of its own: for tests of standard input, pipes, the environment and exit codes. */
  readonly spawn: (words: string, options?: RunOptions) => Promise<Ended>;
  /** Runs with `--json`: exit code 0, one document on stdout, nothing on stderr but that a folder was made. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what the document is
  readonly json: (words: string, options?: RunOptions) => Promise<any>;
  /** Two users, each with an organization; the first one's has a property that costs no work. */
  readonly furnish: () => Promise<Furniture>;
  readonly remove: () => void;
};

export type Furniture = {
  /** Organization ids of ann@example.com and ben@example.com. */
  readonly annsOrg: string;
  readonly bensOrg: string;
  readonly sitekey: string;
};

export function createDesk(): Desk {
  const folder = mkdtempSync(join(tmpdir(), 'postern-cli-'));
  const dataDir = join(folder, 'data');

  const base = { POSTERN_DATA_DIR: dataDir, POSTERN_DNS_CHECK: 'off' };
  const wordsOf = (text: string) => text.split(' ').map((word) => word.replaceAll('~', ' '));

  async function run(words: string, { settings = {}, stdin = '' }: RunOptions = {}): Promise<Ended> {
    let out = '';
    let err = '';
    const code = await runCommandLine(wordsOf(words), {
      environment: { ...base, ...settings },
      out: (line) => {
        out += `${line}\n`;
      },
      err: (line) => {
        err += `${line}\n`;
      },
      stdin: async () => stdin,
    });
    return { code, out, err };
  }

  async function spawn(words: string, { settings = {}, stdin = '' }: RunOptions = {}): Promise<Ended> {
    const child = Bun.spawn([...PROGRAM, ...wordsOf(words)], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', ...base, ...settings },
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

  async function json(words: string, options?: RunOptions) {
    const { code, out, err } = await run(`${words} --json`, options);
    expect({ words, code, err: err.replace(/^postern: this makes the data folder .*\n/, '') }).toEqual({
      words,
      code: 0,
      err: '',
    });
    expect(out.endsWith('\n') && out.trimEnd().split('\n').length === 1).toBe(true);
    return JSON.parse(out);
  }

  return {
    folder,
    dataDir,
    run,
    spawn,
    json,
    async furnish() {
      await json('users create --email ann@example.com --name Ann --admin');
      await json('users create --email ben@example.com');
      const { id: annsOrg } = await json('orgs create --user ann@example.com --name Ann~and~friends');
      const { id: bensOrg } = await json('orgs create --user ben@example.com --name Ben');
      const property = `--org ${annsOrg} --name Shop --domain example.com --level 1 --growth constant`;
      const { sitekey } = await json(`properties create ${property}`);
      return { annsOrg, bensOrg, sitekey };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
