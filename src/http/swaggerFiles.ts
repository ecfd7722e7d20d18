import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import styleFile from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundleFile from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import ownStyleFile from '../../static/swagger.css' with { type: 'file' };
import starterFile from '../../static/swagger.js' with { type: 'file' };
import { hashOf } from './etag.ts';
import { type FileContents, REVALIDATED, type StaticFile } from './fileHandler.ts';

/** The files of the page. They are loaded and compressed at the first request, because Swagger UI is 2 MB and few servers need it. */
export const SWAGGER_FILES: readonly StaticFile[] = [
  swaggerFile('/swagger/swagger-ui.css', 'text/css', styleFile),
  swaggerFile('/swagger/swagger-ui-bundle.js', 'text/javascript', bundleFile),
  swaggerFile('/swagger/postern-swagger.css', 'text/css', ownStyleFile),
  swaggerFile('/swagger/postern-swagger.js', 'text/javascript', starterFile),
];

function swaggerFile(path: string, type: string, file: string): StaticFile {
  return { path, caching: REVALIDATED, load: () => contentsOfFile(type, file) };
}

/** @returns the contents of a generated file */
export async function contentsOf(type: string, text: string): Promise<FileContents> {
  return {
    type,
    etag: `"${hashOf(text)}"`,
    isPublic: false,
    plain: new TextEncoder().encode(text),
    zipped: await compress(text),
  };
}

/** Keeps only the compressed bytes in memory. Uncompressed responses read the embedded file. */
async function contentsOfFile(type: string, file: string): Promise<FileContents> {
  const text = await Bun.file(file).text();
  return {
    type,
    etag: `"${hashOf(text)}"`,
    isPublic: false,
    plain: { file },
    zipped: await compress(text),
  };
}

/** Compresses on another thread, so that puzzles are not delayed. */
async function compress(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return promisify(gzip)(text, { level: 9 });
}
