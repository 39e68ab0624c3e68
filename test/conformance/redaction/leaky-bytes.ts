import { randomUUID } from 'node:crypto';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { agent, tool } from '@reenact/instrumentation';

const TEXT_TAG = 0x12;
const BYTES_TAG = 0x1a;
const HEAD_BYTES = 5;
const PIECE_BYTES = 24;
const noText = Buffer.from([0xff, 0x00, 0xfe, 0x01]);

/** A protobuf message: bytes that are no text, and a text of fewer than 2^14 bytes. */
function messageOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = [BYTES_TAG, noText.length, ...noText, TEXT_TAG, (bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** The text of such a message; throws where its lengths are not true. */
function textOf(message: Buffer): string {
  const at = 2 + noText.length;
  const length = ((message[at + 1] ?? 0) & 0x7f) | ((message[at + 2] ?? 0) << 7);
  if (message[at] !== TEXT_TAG || at + 3 + length !== message.length) throw new RangeError('this is no message');
  return message.subarray(at + 3).toString('utf8');
}

/** Two messages in the framing of Connect's streams, the second one packed. */
function envelopesOf(text: string): Buffer {
  const messages = [messageOf(text), gzipSync(messageOf(`packed: ${text}`))];
  return Buffer.concat(
    messages.flatMap((message, index) => {
      const head = Buffer.alloc(HEAD_BYTES);
      head[0] = index;
      head.writeUInt32BE(message.length, 1);
      return [head, message];
    }),
  );
}

function textsOf(body: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + HEAD_BYTES + body.readUInt32BE(at + 1);
    const message = body.subarray(at + HEAD_BYTES, end);
    texts.push(textOf(body[at] === 1 ? gunzipSync(message) : message));
    at = end;
  }
  return texts;
}

/** Answers with a secret among bytes, in each form that bytes have on the wire. */
export class LeakyBytesServer {
  readonly requests: string[] = [];
  private readonly folder = `/agent/${randomUUID()}`;
  private readonly server: Server;

  private constructor(text: string) {
    this.server = createServer(async (incoming, response) => {
      const { method, url = '' } = incoming;
      if (!url.startsWith(this.folder)) return void response.writeHead(404).end();
      const path = url.slice(this.folder.length);
      this.requests.push(`${method} ${path}`);
      await buffer(incoming);
      const isStream = path === '/p-stream';
      response.writeHead(200, { 'content-type': isStream ? 'application/connect+proto' : 'application/proto' });
      response.end(isStream ? envelopesOf(text) : messageOf(text));
    });
  }

  static async start(text: string): Promise<LeakyBytesServer> {
    const server = new LeakyBytesServer(text);
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.folder}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function sent(url: string, contentType: string, body: Buffer | FormData, coding?: string): Promise<Buffer> {
  const headers = {
    ...(body instanceof Buffer && { 'content-type': contentType }),
    ...(coding !== undefined && { 'content-encoding': coding }),
  };
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: body instanceof Buffer ? new Uint8Array(body) : body,
  });
  return Buffer.from(await response.arrayBuffer());
}

function sentByNode(url: string, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers: { 'content-type': 'application/x-protobuf' } });
    outgoing.on('error', reject).on('response', (response) => void buffer(response).then(resolve, reject));
    outgoing.end(body);
  });
}

/** An agent that sends and is sent a text among bytes: protobuf, framed and packed, a form with a file, arguments, results and streams of tools. */
export function leakyBytesAgent(text: string, url: string): () => Promise<unknown> {
  const echo = tool('echo', async (note: string) => ({ note }));
  const copy = tool('copy', async (bytes: Buffer) => ({ copied: Buffer.concat([noText, bytes]) }));
  const download = tool('download', async function* () {
    const packed = gzipSync(`${text}\n`.repeat(3));
    for (let at = 0; at < packed.length; at += PIECE_BYTES) yield packed.subarray(at, at + PIECE_BYTES);
  });
  return agent('leaky-bytes', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(messageOf(text))]), 'note.bin');
    const answers = [
      await sent(`${url}/p-message`, 'application/proto', messageOf(text)),
      await sent(`${url}/p-packed`, 'application/json', gzipSync(JSON.stringify({ text })), 'gzip'),
      await sent(`${url}/p-form`, '', form),
      await sentByNode(`${url}/p-node`, messageOf(text)),
    ];
    const streamed = await sent(`${url}/p-stream`, 'application/connect+proto', envelopesOf(text));
    for (const note of [...answers.map(textOf), ...textsOf(streamed)]) await echo(note);
    const pieces: Buffer[] = [];
    for await (const piece of download()) pieces.push(piece);
    await echo(gunzipSync(Buffer.concat(pieces)).toString());
    const { copied } = await copy(messageOf(text));
    return copied.length;
  });
}
