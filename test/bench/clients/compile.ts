import { join } from 'node:path';
import { type Cleanup, outputOf } from '../harness/cleanup.ts';

/** The compilers that can build the clients, in the order of preference. */
const COMPILERS = ['cc', 'clang', 'gcc'];
const HEADERS = '#include <openssl/ssl.h>\nint main(void) { return 0; }\n';

/** @returns why a client cannot be compiled; undefined if it can */
export function missingForClients(usesTls: boolean): string | undefined {
  const compiler = findCompiler();
  if (compiler === undefined) return 'no C compiler is installed (Debian package gcc)';
  if (!usesTls) return undefined;
  const { success } = Bun.spawnSync([compiler, '-x', 'c', '-fsyntax-only', '-'], {
    stdin: Buffer.from(HEADERS),
  });
  return success ? undefined : 'the headers of OpenSSL are not installed (Debian package libssl-dev)';
}

/** @returns the name of a C compiler; undefined if none is installed */
export function findCompiler(): string | undefined {
  return COMPILERS.find((name) => Bun.which(name) !== null);
}

/** Compiles a client into a folder. @returns the path of the program @throws BenchError with the output of the compiler */
export async function compileClient(
  name: 'openLoop' | 'connections',
  folder: string,
  cleanup: Pick<Cleanup, 'defer'>,
): Promise<string> {
  const program = join(folder, name);
  const libraries = name === 'connections' ? ['-lssl', '-lcrypto'] : [];
  const source = join(import.meta.dir, `${name}.c`);
  await outputOf([findCompiler() ?? 'cc', '-O2', '-o', program, source, ...libraries], cleanup);
  return program;
}
