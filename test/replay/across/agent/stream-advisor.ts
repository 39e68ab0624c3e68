// The agent service, asked over HTTP/2; encrypted where STREAM_CERTIFICATES names a folder with certificates.
import { readFileSync } from 'node:fs';
import { createSecureServer, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { advise, type Request } from './advise.ts';

const { STREAM_CERTIFICATES: folder = '' } = process.env;
const server =
  folder === ''
    ? createServer()
    : createSecureServer({
        cert: readFileSync(join(folder, 'server.pem')),
        key: readFileSync(join(folder, 'server-key.pem')),
      });

async function answer(stream: ServerHttp2Stream): Promise<void> {
  const advice = await advise((await json(stream)) as Request);
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(JSON.stringify({ advice }));
}

server.on('stream', (stream: ServerHttp2Stream) => {
  answer(stream).catch((error: unknown) => {
    stream.respond({ ':status': 500, 'content-type': 'application/json' });
    stream.end(JSON.stringify({ advice: String(error) }));
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
process.once('SIGTERM', () => server.close());
