import { mkdtempSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitUntil } from '../support/waitUntil.ts';
import type { BuiltImage } from './builder.ts';

/** A running container. */
export type Container = {
  /** The standard output and standard error so far. */
  readonly output: () => string;
  /** Runs a command in the container. */
  readonly exec: (...command: readonly string[]) => { readonly exitCode: number; readonly out: string };
  /** The process in the container, as this machine sees it. */
  readonly pid: () => number;
  /** Sends SIGTERM. @returns the exit code of the container */
  readonly stop: () => Promise<number>;
};

/**
 * Starts an image as `docker run --read-only --cap-drop ALL --security-opt no-new-privileges --network host` does: with runc, the
 * user, the environment, and the command of the image, and a volume for `/data`.
 *
 * @param folder for the files of runc
 * @param environment replaces variables of the image
 */
export function startContainer(
  { root, config }: BuiltImage,
  folder: string,
  data: string,
  environment: Readonly<Record<string, string>>,
): Container {
  const bundle = mkdtempSync(join(folder, 'bundle-'));
  const [uid = '', gid = ''] = config.User.split(':');
  const none: readonly string[] = [];
  const specification = {
    ociVersion: '1.0.2',
    process: {
      user: { uid: Number(uid), gid: Number(gid) },
      args: [...config.Entrypoint, ...config.Cmd],
      env: [...config.Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)],
      cwd: '/',
      capabilities: { bounding: none, effective: none, permitted: none, inheritable: none, ambient: none },
      noNewPrivileges: true,
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=64k'] },
      { destination: '/data', type: 'bind', source: data, options: ['bind', 'rw'] },
    ],
    linux: { namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })) },
  };
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(specification));
  const id = `postern-${process.pid}-${basename(bundle)}`;
  const runc = ['runc', '--root', join(folder, 'runc')];
  const child = Bun.spawn([...runc, 'run', '--bundle', bundle, id], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  void collect(child.stdout);
  void collect(child.stderr);
  const command = (...args: readonly string[]) => {
    const { exitCode, stdout } = Bun.spawnSync([...runc, ...args]);
    return { exitCode, out: stdout.toString() };
  };
  return {
    output: () => output,
    exec: (...words) => command('exec', id, ...words),
    pid: () => JSON.parse(command('state', id).out).pid,
    async stop() {
      command('kill', id, 'TERM');
      return child.exited;
    },
  };
}

/** Waits until the health check of the image succeeds. */
export async function waitUntilHealthy(container: Container, { config }: BuiltImage): Promise<void> {
  const [kind, ...command] = config.Healthcheck.Test;
  if (kind !== 'CMD') throw new Error(`not a command: ${kind}`);
  await waitUntil('the container is healthy', () => container.exec(...command).exitCode === 0).catch(
    (cause) => {
      throw new Error(container.output(), { cause });
    },
  );
}
