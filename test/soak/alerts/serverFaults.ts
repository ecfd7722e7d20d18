import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CERTIFICATE, PRIVATE_KEY } from '../../cli/certificates.ts';
import { BINARY, postern } from '../../e2e/support.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { blockRequestThread, delayCalls, holdConnections, startSilentDns, stutter } from './processFaults.ts';
import { type Fault, repeat, run, startServer, startVisitors, type Template } from './targets.ts';

/** Faults of single servers with SQLite. */

type Server = Awaited<ReturnType<typeof startServer>>;
/** @returns a function that ends the fault, if stopping the server is not sufficient */
type Inject = (server: Server, template: Template) => unknown;
/** Settings of the server, and the command that starts it. */
type Options = (folder: string) => Pick<Parameters<typeof startServer>[1] & object, 'settings' | 'command'>;

/** A server that receives no requests. */
function idle(inject: Inject, options: Options = () => ({}), newFolder?: () => string): Fault['start'] {
  return async (template) => {
    const folder = newFolder?.() ?? template.newFolder();
    const server = await startServer(template, { folder, ...options(folder) });
    let end: unknown;
    return {
      url: server.url,
      async inject() {
        end = await inject(server, template);
      },
      async stop() {
        if (typeof end === 'function') await end();
        await server.stop();
      },
    };
  };
}

/** A server with visitors. */
function busy(...words: Parameters<typeof idle>): Fault['start'] {
  return async (template) => {
    const target = await idle(...words)(template);
    const stopVisitors = startVisitors(target.url, template);
    return {
      ...target,
      async stop() {
        stopVisitors();
        await target.stop();
      },
    };
  };
}

/** A server with visitors on an in-memory file system of 2 GiB, which is almost empty. @param free bytes that the fault leaves free */
function onDisk(free: number): Fault['start'] {
  return async (template) => {
    const disk = template.newFolder();
    run('mount', '-t', 'tmpfs', '-o', 'size=2g', 'tmpfs', disk);
    const shrink = () => {
      const [, used = ''] = run('df', '--block-size=1', '--output=used', disk).split('\n');
      run('mount', '-o', `remount,size=${Number(used) + free}`, disk);
    };
    const target = await busy(
      shrink,
      () => ({}),
      () => disk,
    )(template);
    return {
      ...target,
      async stop() {
        await target.stop();
        run('umount', '--lazy', disk);
      },
    };
  };
}

const MB = 2 ** 20;

/** Creates three tasks that wait for a name server for 24 minutes: 128 lookups each, 16 at a time, each of which takes a minute. */
async function createTasks({ url }: Server, { portalKey, organization }: Template): Promise<void> {
  for (let task = 0; task < 3; task++) {
    const items = Array.from({ length: 128 }, (_, at) => ({
      name: `${task}-${at}`,
      domain: `name-${task}-${at}.example.net`,
    }));
    const response = await fetch(`${url}/org/${organization}/properties`, {
      method: 'POST',
      headers: { 'X-API-Key': portalKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(items),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}

async function withoutDns(template: Template) {
  const dns = await startSilentDns();
  const settings = { POSTERN_DNS_SERVERS: dns.address, POSTERN_DNS_TIMEOUT_MS: '60000' };
  const target = await idle(createTasks, () => ({ settings }))(template);
  return {
    ...target,
    async stop() {
      dns.stop();
      await target.stop();
    },
  };
}

/** A server with TLS. */
const withCertificate: Options = (folder) => {
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certificate, CERTIFICATE);
  writeFileSync(key, PRIVATE_KEY);
  return { settings: { POSTERN_TLS_CERT: certificate, POSTERN_TLS_KEY: key } };
};

/** Replaces the certificate with one that expires in ten days. */
function replaceCertificate({ folder, pid }: Server): void {
  const name = ['-subj', '/CN=captcha.example.com', '-days', '10'];
  const files = ['-key', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  run('openssl', 'req', '-x509', ...name, ...files);
  process.kill(pid(), 'SIGHUP');
}

async function copyBack(server: Server): Promise<void> {
  const copy = join(server.folder, 'copy');
  await server.restart(() => cpSync(server.dataDir, copy, { recursive: true }));
  await server.restart(() => {
    rmSync(server.dataDir, { recursive: true });
    cpSync(copy, server.dataDir, { recursive: true });
  });
}

async function presentAgain({ url }: Server, { sitekey, verifyKey }: Template): Promise<() => void> {
  const payload = await fetchAndSolve(url, sitekey);
  return repeat(1000, () => verify(url, verifyKey, payload));
}

const MAX_FILES = 256;

export const SERVER_FAULTS: readonly Fault[] = [
  { name: 'none, with SQLite', alerts: [], start: busy(() => {}) },
  { name: 'the server is killed', alerts: ['PosternDown'], start: idle((server) => server.kill()) },
  {
    name: 'the server is frozen (SIGSTOP)',
    alerts: ['PosternDown'],
    start: idle(({ pid }) => process.kill(pid(), 'SIGSTOP')),
  },
  {
    name: 'the server restarts three times, every 30 s',
    alerts: ['PosternRestarting'],
    start: idle(async ({ restart }) => {
      for (let time = 0; time < 3; time++) {
        await restart();
        await Bun.sleep(30_000);
      }
    }),
  },
  {
    name: 'the disk is full',
    alerts: [
      'PosternClaimsFailing',
      'PosternClaimsNotWritable',
      'PosternDiskFull',
      'PosternServerErrors',
      'PosternDiskSpaceLow',
    ],
    start: onDisk(0),
  },
  { name: 'the disk has 600 MiB of free space', alerts: ['PosternDiskSpaceLow'], start: onDisk(600 * MB) },
  {
    name: 'each fsync takes 0.7 s',
    alerts: ['PosternSlowCommits', 'PosternSlowVerifications'],
    start: busy(({ pid }) => delayCalls(pid(), 'fsync,fdatasync', 700_000, '-f')),
  },
  {
    name: 'maintenance mode is turned on',
    alerts: ['PosternMaintenance'],
    start: idle(({ dataDir }) => postern(dataDir, 'maintenance', 'on')),
  },
  {
    name: 'the data folder is replaced with an older copy',
    alerts: ['PosternDataRolledBack'],
    start: idle(copyBack, (folder) => ({ settings: { POSTERN_MARK_DIR: folder } })),
  },
  {
    name: 'claims.sqlite is deleted while the server is stopped',
    alerts: ['PosternClaimsLost'],
    start: idle(({ dataDir, restart }) => restart(() => rmSync(join(dataDir, 'claims.sqlite')))),
  },
  {
    name: 'the data has no backup',
    alerts: ['PosternBackupMissing'],
    start: idle(({ dataDir, restart }, { copyTo }) =>
      restart(() => {
        rmSync(dataDir, { recursive: true });
        copyTo(dataDir, false);
      }),
    ),
  },
  {
    name: 'the certificate expires in ten days',
    alerts: ['PosternCertificateExpiring'],
    start: idle(replaceCertificate, withCertificate),
  },
  {
    name: 'the DNS server does not answer',
    alerts: ['PosternDnsUnanswered', 'PosternTaskBacklog'],
    start: withoutDns,
  },
  {
    name: 'the process does not run for 0.3 of each 0.8 s',
    alerts: ['PosternEventLoopLag'],
    start: idle(({ pid }) => stutter(pid())),
  },
  {
    name: 'a request thread is blocked',
    alerts: ['PosternThreadBlocked'],
    start: idle(
      ({ pid }) => blockRequestThread(pid()),
      () => ({ settings: { POSTERN_THREADS: '2' } }),
    ),
  },
  {
    name: `clients hold connections, which need 90% of ${MAX_FILES} file descriptors`,
    alerts: ['PosternFileDescriptors'],
    start: idle(
      ({ url, pid }) => holdConnections(url, 0.9 * MAX_FILES - readdirSync(`/proc/${pid()}/fd`).length),
      () => ({ command: ['prlimit', `--nofile=${MAX_FILES}`, BINARY] }),
    ),
  },
  {
    name: 'a client repeats a solution, once per second',
    alerts: ['PosternRejectionShare'],
    start: idle(presentAgain),
  },
  {
    name: 'a backend has a wrong API key, with three requests per second',
    alerts: ['PosternApiKeysRejected'],
    start: idle(({ url }) => repeat(333, () => verify(url, 'pk_unknown', 'no payload'))),
  },
  {
    name: 'a backend sends four requests per second, of which one is allowed',
    alerts: ['PosternRateLimited'],
    start: idle(
      ({ url }, { verifyKey }) => repeat(250, () => verify(url, verifyKey, 'no payload')),
      () => ({ settings: { POSTERN_VERIFY_RATE: '1', POSTERN_VERIFY_BURST: '1' } }),
    ),
  },
];
