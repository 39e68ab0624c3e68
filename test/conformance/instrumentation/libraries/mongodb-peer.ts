import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';
import type { Peer } from '../fidelity-library.ts';
import { MoodyProxy } from '../peers/moody-proxy.ts';
import { MongoStore } from './mongodb-store.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Response flags, cursor id, first document, number of documents. */
const REPLY_PREFIX_BYTES = 20;

/** Numbers stay what the client wrote them as. */
const deserialize = (bytes: Uint8Array): Document => BSON.deserialize(bytes, { promoteLongs: false });

/** A message's command; documents that came in a section of their own are put where they belong. */
function commandOf(message: Buffer): Document {
  if (message.readInt32LE(12) === OP_QUERY) {
    const collectionEnd = message.indexOf(0, HEADER_BYTES + 4);
    return deserialize(message.subarray(collectionEnd + 1 + 8));
  }
  let command: Document = {};
  for (let offset = HEADER_BYTES + 4; offset < message.length; ) {
    const size = message.readInt32LE(offset + 1);
    const section = message.subarray(offset + 1, offset + 1 + size);
    command = message[offset] === 0 ? { ...deserialize(section), ...command } : { ...command, ...sequenceOf(section) };
    offset += 1 + size;
  }
  return command;
}

function sequenceOf(section: Buffer): Document {
  const nameEnd = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let offset = nameEnd + 1; offset < section.length; offset += section.readInt32LE(offset)) {
    documents.push(deserialize(section.subarray(offset, offset + section.readInt32LE(offset))));
  }
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}

function answerTo(message: Buffer, answer: Document): Buffer {
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  const prefix = Buffer.alloc(isQuery ? REPLY_PREFIX_BYTES : 5);
  if (isQuery) prefix.writeInt32LE(1, 16);
  const body = Buffer.concat([prefix, BSON.serialize(answer)]);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + body.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, body]);
}

function serve(socket: Socket, store: MongoStore): void {
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const message = rest.subarray(0, rest.readInt32LE(0));
      rest = rest.subarray(message.length);
      socket.write(answerTo(message, store.answer(commandOf(message))));
    }
  });
}

/** A server of documents that speaks the wire protocol of MongoDB, which no package brings. */
export async function startMongodbPeer(): Promise<Peer> {
  const store = new MongoStore();
  const server = createServer((socket) => serve(socket, store));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => void (await new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  return MoodyProxy.start({
    at: { host: '127.0.0.1', port },
    stop,
    isGoodbye: (sent) => sent.includes('endSessions'),
  });
}
