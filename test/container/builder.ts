import { join } from 'node:path';

/** Builds images with buildah. All of its files are in one folder. */
export type Builder = {
  /** Creates an image with the files of a folder. @returns its name */
  readonly createImage: (name: string, root: string, environment: Readonly<Record<string, string>>) => string;
  /** Builds a Dockerfile. */
  readonly build: (
    context: string,
    name: string,
    buildArguments: Readonly<Record<string, string>>,
  ) => Promise<BuiltImage>;
  /** Deletes all files, and unmounts file systems. */
  readonly clean: () => void;
};

export type BuiltImage = {
  /** The root file system. */
  readonly root: string;
  readonly config: ImageConfig;
  /** Bytes, uncompressed. */
  readonly size: number;
};

/** The part of the image's configuration that the tests use (Docker Image Specification 1.2). */
export type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Volumes: Readonly<Record<string, object>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
};

/** @param folder an empty folder, preferably in memory: writing the packages to a disk takes most of the time */
export function createBuilder(folder: string): Builder {
  const program = ['buildah', '--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const options = {
    cwd: folder,
    // The cache of the Dockerfile is in TMPDIR.
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, BUILDAH_ISOLATION: 'chroot' },
  };
  const buildah = (...args: readonly string[]): string => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...program, ...args], options);
    if (exitCode !== 0) throw new Error(`buildah ${args.join(' ')}: ${stderr}`);
    return stdout.toString().trim();
  };
  return {
    createImage(name, root, environment) {
      const image = `localhost/postern-test/${name}`;
      const container = buildah('from', 'scratch');
      buildah('add', '--quiet', container, root, '/');
      for (const [variable, value] of Object.entries(environment))
        buildah('config', '--env', `${variable}=${value}`, container);
      buildah('commit', '--quiet', '--rm', container, image);
      return image;
    },
    async build(context, name, buildArguments) {
      const image = `localhost/postern-test/${name}`;
      const args = Object.entries(buildArguments).flatMap(([key, value]) => [
        '--build-arg',
        `${key}=${value}`,
      ]);
      const child = Bun.spawn(
        [...program, 'build', '--pull-never', '--format', 'docker', ...args, '--tag', image, context],
        { ...options, stdout: 'pipe', stderr: 'pipe' },
      );
      const [out, errors] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      if ((await child.exited) !== 0) throw new Error(`the build failed: ${out}\n${errors}`);
      const [{ size }] = JSON.parse(buildah('images', '--json', image));
      const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', image));
      const container = buildah('from', '--pull-never', image);
      return { root: buildah('mount', container), config: Docker.config, size: bytesOf(size) };
    },
    clean() {
      buildah('unmount', '--all');
      buildah('rm', '--all');
      Bun.spawnSync(['rm', '-rf', folder]);
    },
  };
}

/** @param text such as `131 MB`, in decimal units */
function bytesOf(text: string): number {
  const [number = '', unit = ''] = text.split(' ');
  return Number(number) * ({ KB: 1e3, MB: 1e6, GB: 1e9 }[unit] ?? Number.NaN);
}
