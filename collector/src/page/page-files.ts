import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { acceptsGzip } from '../accepts-gzip.ts';

/** Where the files are below the address of the collector, but for the page itself. */
const FILES_PREFIX = '/page/';

const INDEX = 'index.html';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * What a browser may do for the page: load its own files and ask the collector that it came from. Recordings hold what strangers wrote; nothing of
 * it is ever run or loaded, nor is the page shown inside another one.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'media-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface PageFile {
  readonly bytes: Buffer;
  readonly packed: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

function fileOf(path: string): PageFile {
  const bytes = readFileSync(path);
  return {
    bytes,
    packed: gzipSync(bytes),
    headers: {
      'content-type': contentTypes[extname(path)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
      etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
      vary: 'accept-encoding',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  };
}

/** The page that people look at recordings with. It holds no recording: what it shows it asks of the API, with the token that its reader gives. */
export class PageFiles {
  private readonly files: ReadonlyMap<string, PageFile>;

  /** Reads every file of the folder, which has no others inside. Throws where it cannot be read. */
  constructor(directory: string) {
    const names = readdirSync(directory).map((name): [string, PageFile] => [name, fileOf(join(directory, name))]);
    this.files = new Map(names.map(([name, file]) => [name === INDEX ? '/' : `${FILES_PREFIX}${name}`, file]));
  }

  /** Answers a request for a file of the page; false, and nothing done, where it is for something else. */
  answer(path: string, { method, headers }: IncomingMessage, response: ServerResponse): boolean {
    const file = this.files.get(path);
    if (file === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    if (headers['if-none-match'] === file.headers.etag) {
      response.writeHead(304, file.headers).end();
      return true;
    }
    const isPacked = acceptsGzip(headers);
    const bytes = isPacked ? file.packed : file.bytes;
    response.writeHead(200, {
      ...file.headers,
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
      'content-length': bytes.length,
    });
    response.end(method === 'HEAD' ? undefined : bytes);
    return true;
  }
}
