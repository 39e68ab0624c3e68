import { connect } from 'node:net';

/** An HTTP answer as it was on the wire. */
export interface RawAnswer {
  readonly head: string;
  /** The parts of a chunked body, one by one. */
  readonly chunks: readonly Buffer[];
}

function chunksOf(body: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = body.indexOf('\r\n', at);
    const bytes = Number.parseInt(body.subarray(at, end).toString('latin1'), 16);
    if (end === -1 || !(bytes > 0)) return chunks;
    chunks.push(body.subarray(end + 2, end + 2 + bytes));
    at = end + 2 + bytes + 2;
  }
}

/** Posts JSON over a bare socket, past every HTTP client's buffering. */
export function postRaw(url: string, path: string, body: unknown): Promise<RawAnswer> {
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${hostname}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${text}`));
    socket.on('data', (part) => parts.push(part));
    socket.once('error', reject);
    socket.once('close', () => {
      const answer = Buffer.concat(parts);
      const split = answer.indexOf('\r\n\r\n');
      resolve({ head: answer.subarray(0, split).toString('latin1'), chunks: chunksOf(answer.subarray(split + 4)) });
    });
  });
}
