import { Elysia } from 'elysia';

export type Asset = {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  /** Other hosts' pages load it. */
  readonly isPublic: boolean;
};

const REVALIDATED = 'public, max-age=300, must-revalidate';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Files from the binary, compressed once. Each has its plain path, which revalidates, and one with a hash of its
 * contents before the extension, which never changes.
 */
export function assetsFace(assets: readonly Asset[]) {
  const face = new Elysia();
  for (const asset of assets) {
    const served = createServed(asset);
    face.get(asset.path, ({ request }) => served(request, REVALIDATED));
    face.get(hashedPath(asset), ({ request }) => served(request, IMMUTABLE));
  }
  return face;
}

/** `/widget/postern.js` as `/widget/postern.0123456789abcdef.js`. */
export function hashedPath(asset: Pick<Asset, 'path' | 'text'>): string {
  return asset.path.replace(/(\.\w+)$/, `.${hashOf(asset.text)}$1`);
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 16);
}

function createServed(asset: Asset): (request: Request, caching: string) => Response {
  const etag = `"${hashOf(asset.text)}"`;
  const plain = Buffer.from(asset.text);
  const zipped = Bun.gzipSync(plain, { level: 9 });
  const common = {
    'Content-Type': `${asset.type}; charset=utf-8`,
    ETag: etag,
    Vary: 'Accept-Encoding',
    ...(asset.isPublic
      ? { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' }
      : {}),
  };
  return (request, caching) => {
    const headers = new Headers({ ...common, 'Cache-Control': caching });
    const known = request.headers.get('if-none-match');
    if (known !== null && isKnown(known, etag)) {
      return new Response(null, { status: 304, headers });
    }
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$|\s))/.test(request.headers.get('accept-encoding') ?? '')) {
      return new Response(plain, { headers });
    }
    headers.set('Content-Encoding', 'gzip');
    return new Response(zipped, { headers });
  };
}

/** `If-None-Match` (RFC 9110, section 13.1.2): `*`, or a list of tags, weak ones too. */
function isKnown(known: string, etag: string): boolean {
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || known.trim() === '*';
}
