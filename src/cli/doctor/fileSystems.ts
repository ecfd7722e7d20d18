import { existsSync, readFileSync, realpathSync } from 'node:fs';

/** Network file systems by the type that Linux reports (statfs(2)). */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x786f4256, 'VirtualBox shared folder'],
]);

const FUSE_TYPE = 0x65735546;

/** Programs that mount network storage with FUSE, by the part of the type after `fuse.`. */
const NETWORK_PROGRAMS: ReadonlySet<string> = new Set([
  'sshfs',
  's3fs',
  'rclone',
  'glusterfs',
  'ceph',
  'ceph-fuse',
  'gcsfuse',
  'goofys',
  'juicefs',
  'blobfuse2',
  'davfs',
  'mount-s3',
  'vmhgfs-fuse',
]);

export type FileSystem = {
  readonly name: string;
  /** `unknown`: FUSE, with a program that may store files locally or on a network. */
  readonly kind: 'local' | 'network' | 'unknown';
};

/**
 * Returns whether a folder is on a network file system.
 *
 * @param folder an existing folder
 * @param type the type that statfs(2) reports
 * @param mounts the content of `/proc/self/mountinfo` (proc_pid_mountinfo(5)); empty if it is not available
 */
export function identifyFileSystem(folder: string, type: number, mounts: string): FileSystem {
  const network = NETWORK_TYPES.get(type >>> 0);
  if (network !== undefined) return { name: network, kind: 'network' };
  if (type >>> 0 !== FUSE_TYPE) return { name: 'local', kind: 'local' };
  const program = findMount(folder, mounts).type.replace(/^fuse\./, '');
  return { name: `FUSE (${program})`, kind: NETWORK_PROGRAMS.has(program) ? 'network' : 'unknown' };
}

/** @returns the content of `/proc/self/mountinfo`; empty on systems other than Linux */
export function readMounts(): string {
  const file = '/proc/self/mountinfo';
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

export type Mount = { readonly type: string; readonly options: readonly string[] };

/**
 * Returns the innermost mount that contains a folder. Its type is `unknown` if there is none.
 *
 * @param folder an existing folder
 * @param mounts the content of `/proc/self/mountinfo`
 */
export function findMount(folder: string, mounts: string): Mount {
  const path = realpathSync(folder);
  let found = { point: '', type: 'unknown', options: [] as readonly string[] };
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const fields = before.split(' ');
    // Spaces and other special characters are octal escapes.
    const point = (fields[4] ?? '').replace(/\\([0-7]{3})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    const isAbove = point === '/' || path === point || path.startsWith(`${point}/`);
    // A later mount on the same point covers the earlier one.
    if (point !== '' && isAbove && point.length >= found.point.length)
      found = { point, type: after.split(' ')[0] ?? '', options: (fields[5] ?? '').split(',') };
  }
  return found;
}
