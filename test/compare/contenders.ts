import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Load } from '../bench/clients/wrk.ts';
import type { Cleanup } from '../bench/harness/cleanup.ts';
import { outputOf } from '../bench/harness/cleanup.ts';
import type { Lab } from '../bench/harness/lab.ts';
import { memoryOf } from '../bench/harness/memory.ts';
import type { PayloadFile } from '../bench/harness/payloads.ts';
import { start } from '../bench/installation.ts';
import { startDatabase } from './database.ts';
import type { Installed } from './install.ts';
import { altchaPage, capPage, type Page, posternPage } from './pages.ts';
import { altchaPayloads, capPayloads, createPaddedFile } from './payloads.ts';
import { type Server, startProgram } from './process.ts';
import type { ProductId } from './products.ts';

/** A product that runs on this machine. */
export type Contender = {
  readonly id: ProductId;
  /** Starts a server without stored claims. */
  readonly start: () => Promise<Server>;
  /** Kills a server with SIGKILL, and starts it again with its data. */
  readonly restart: (server: Server) => Promise<Server>;
  /** The request for a challenge. */
  readonly issue: (server: Server) => Omit<Load, 'seconds'>;
  /** Solved payloads for `POST /verify` of this server. */
  readonly payloads: (server: Server) => Promise<PayloadFile>;
  /** Starts a server for visitors. */
  readonly startForVisitors: () => Promise<Server>;
  readonly page: (server: Server) => Page;
  /** Resident memory in MB, of a database too. */
  readonly memory: (server: Server) => number;
  /** More verifications than the server can answer in a second. */
  readonly verifications: number;
};

const SERVERS = join(import.meta.dir, 'servers');
const GET = { path: '/challenge', script: 'get.lua', method: 'GET' } as const;
const POST = { path: '/challenge', script: 'empty.lua', method: 'POST' } as const;
/** Bytes of a line, which hold every payload. */
const CAP_LENGTH = 1024;
const ALTCHA_LENGTH = 1400;

const memoryOfServer = ({ pid }: Server) => memoryOf(pid).rss;

/** @returns Postern with a property that allows localhost, for the page of the widget */
async function posternForVisitors({ binary, folder, defer }: Lab) {
  const template = join(folder, 'visitors');
  const run = async (...args: string[]) =>
    JSON.parse(
      await outputOf([binary, ...args, '--json', '--data-dir', template], { defer }, { env: { PATH: '' } }),
    );
  const email = 'compare@example.com';
  await run('users', 'create', '--email', email);
  const { id } = await run('orgs', 'create', '--user', email, '--name', 'Compare');
  const domain = ['--name', 'Compare', '--domain', 'example.com', '--no-dns-check', '--allow-localhost'];
  const { sitekey } = await run('properties', 'create', '--org', id, ...domain);
  let servers = 0;
  return {
    sitekey: String(sitekey),
    async start(): Promise<Server> {
      const dataDir = join(folder, `visitors${servers++}`);
      cpSync(template, dataDir, { recursive: true });
      const server = await start(binary, dataDir);
      defer(server.kill);
      return { ...server, url: server.url.replace('127.0.0.1', 'localhost'), secret: '', sent: 0 };
    },
  };
}

export async function createPostern(lab: Lab): Promise<Contender> {
  const visitors = await posternForVisitors(lab);
  const folders = new Map<Server, string>();
  let sitekey = '';
  return {
    id: 'postern',
    async start() {
      const server = await lab.startServer();
      sitekey = server.sitekey;
      folders.set(server, server.dataDir);
      return server;
    },
    async restart(server) {
      const dataDir = folders.get(server);
      if (dataDir === undefined) throw new Error('unknown server');
      await server.kill();
      const restarted = await start(lab.binary, dataDir);
      lab.defer(restarted.kill);
      return { ...restarted, secret: server.secret, sent: 0 };
    },
    issue: () => ({ path: `/puzzle?sitekey=${sitekey}`, script: 'get.lua' }),
    payloads: async () => lab.payloads,
    startForVisitors: visitors.start,
    page: ({ url }) => posternPage(url, visitors.sitekey),
    memory: memoryOfServer,
    verifications: 60_000,
  };
}

/** What the libraries need. */
export type Kit = { readonly lab: Lab; readonly installed: Installed; readonly cleanup: Cleanup };

/** Starts programs in folders of their own. @param args of the program, without its file */
function programStarter(
  { lab: { folder, defer } }: Kit,
  id: ProductId,
  program: string,
  issue: typeof GET | typeof POST,
  args: () => Promise<readonly string[]>,
): Pick<Contender, 'start' | 'restart'> {
  const launches = new Map<Server, () => Promise<Server>>();
  return {
    async start() {
      const cwd = join(folder, `${id}-server${launches.size}`);
      mkdirSync(cwd);
      const command = [process.execPath, join(SERVERS, program), ...(await args())];
      const launch = () => startProgram(command, cwd, issue, { defer });
      const server = await launch();
      launches.set(server, launch);
      return server;
    },
    async restart(server) {
      const launch = launches.get(server);
      if (launch === undefined) throw new Error('unknown server');
      await server.kill();
      return launch();
    },
  };
}

type CapId = 'capPostgres' | 'capMemory';

const CAP_VERIFICATIONS = { capPostgres: 3000, capMemory: 12_000 } as const satisfies Record<CapId, number>;

export async function createCap(kit: Kit, id: CapId): Promise<Contender> {
  const { lab, installed } = kit;
  const database = id === 'capPostgres' ? await startDatabase(kit.cleanup) : undefined;
  const entry = Bun.resolveSync('@cap.js/server', installed.folder);
  const starter = programStarter(kit, id, 'capServer.ts', POST, async () =>
    database === undefined ? [entry] : [entry, await database.create()],
  );
  return {
    id,
    ...starter,
    issue: () => POST,
    payloads: async ({ url, pid }) =>
      createPaddedFile(join(lab.folder, `${id}${pid}`), CAP_LENGTH, capPayloads(url)),
    startForVisitors: starter.start,
    page: ({ url }) => capPage(url, installed.file),
    memory: (server) => memoryOfServer(server) + (database?.memory() ?? 0),
    verifications: CAP_VERIFICATIONS[id],
  };
}

export function createAltchaContender(kit: Kit): Contender {
  const { lab, installed } = kit;
  const modules = [
    Bun.resolveSync('altcha-lib', installed.folder),
    Bun.resolveSync('altcha-lib/algorithms/pbkdf2', installed.folder),
    crypto.randomUUID(),
  ] as const;
  const starter = programStarter(kit, 'altcha', 'altchaServer.ts', GET, async () => modules);
  return {
    id: 'altcha',
    ...starter,
    issue: () => GET,
    payloads: async () =>
      createPaddedFile(join(lab.folder, 'altcha'), ALTCHA_LENGTH, await altchaPayloads(...modules)),
    startForVisitors: starter.start,
    page: ({ url }) => altchaPage(url, installed.file),
    memory: memoryOfServer,
    verifications: 20_000,
  };
}
