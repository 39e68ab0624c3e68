import type { ServerResponse } from 'node:http';
import type { Peer } from '../fidelity-library.ts';
import { HttpPeer, type PeerRequest } from './http-peer.ts';
import { ReverseOrder } from './reverse-order.ts';

/** What the streamed answers of a plain peer consist of; the bytes of one sign are split over two chunks. */
export const PLAIN_CHUNKS: readonly Buffer[] = [
  Buffer.from('one '),
  Buffer.from([0xf0, 0x9f]),
  Buffer.from([0x93, 0x89]),
  Buffer.from([0x00, 0xff, 0xfe]),
];

/** Sends the chunks a turn apart, so that each is a chunk of its own on the wire. */
async function sendChunks(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  for (const chunk of PLAIN_CHUNKS) {
    response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function answer(response: ServerResponse, request: PeerRequest, reverse: ReverseOrder): unknown {
  const [path = ''] = request.path.split('?');
  switch (path) {
    case '/hangs':
      return undefined;
    case '/stream':
      return sendChunks(response).then(() => response.end());
    case '/endless':
      return sendChunks(response);
    case '/breaks':
      return sendChunks(response).then(() => setImmediate(() => response.destroy()));
    case '/limited':
      if (request.number > 0) break;
      return response.writeHead(429, { 'retry-after': '0' }).end('slow down');
    case '/first':
    case '/second':
    case '/third':
      return reverse.add(response, () => response.end(path));
    case '/moved':
      return response.writeHead(302, { location: '/echo' }).end();
  }
  const { method, body } = request;
  return response
    .writeHead(200, 'Fine', { 'content-type': 'application/json', 'x-twice': ['a', 'b'] })
    .end(JSON.stringify({ method, path: request.path, body }));
}

/** A server of plain HTTP, in every mood; the path chooses. */
export function startPlainPeer(): Promise<Peer> {
  const reverse = new ReverseOrder(3);
  return HttpPeer.start((response, request) => answer(response, request, reverse));
}
