import type { WebSocketMessage } from './websocket-message.ts';

const opcodes: Readonly<Record<WebSocketMessage['type'], number>> = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

function payloadOf(message: WebSocketMessage): Buffer {
  if (message.type !== 'close') return message.bytes;
  if (message.code === undefined) return Buffer.alloc(0);
  const code = Buffer.alloc(2);
  code.writeUInt16BE(message.code);
  return Buffer.concat([code, Buffer.from(message.reason ?? '', 'utf8')]);
}

function lengthBytes(length: number): Buffer {
  if (length < 126) return Buffer.from([length]);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 9);
  bytes[0] = length < 65_536 ? 126 : 127;
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

/**
 * A message as a server sends it, in one frame, neither masked nor compressed: where compression was agreed, a message that is not compressed
 * is allowed all the same.
 */
export function frameBytes(message: WebSocketMessage): Buffer {
  const payload = payloadOf(message);
  return Buffer.concat([Buffer.from([0x80 | opcodes[message.type]]), lengthBytes(payload.length), payload]);
}
