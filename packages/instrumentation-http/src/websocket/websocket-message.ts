import { bodyOfBytes, bytesOfBody, type MessageBody } from '../message-body.ts';

/** What one end of a WebSocket says to the other. */
export type WebSocketMessage =
  | { readonly type: 'text' | 'binary' | 'ping' | 'pong'; readonly bytes: Buffer; readonly wasCompressed?: true }
  | { readonly type: 'close'; readonly code?: number; readonly reason?: string };

/** One frame of a message that is compressed. */
export interface PackedFrame {
  readonly type: 'text' | 'binary';
  readonly packed: Buffer;
  /** Whether the message ends with it. */
  readonly isFinal: boolean;
}

/** A message, or the end of the connection, as the input of a crossing holds it. */
export interface MessageInput {
  /** `end`: of the connection, by a close before or not. `unread`: what came from there on could not be recorded. */
  readonly type: 'text' | 'binary' | 'close' | 'end' | 'unread';
  /** Sent text that is JSON is compared by what it says. */
  readonly contentType?: 'application/json';
  readonly body?: MessageBody;
  readonly code?: number;
  readonly reason?: string;
  /** Why, where that is known: a code of Node.js. */
  readonly error?: string;
  /** It came in one read with the message before it, the first with the answer to the opening: no code ran between them. */
  readonly together?: true;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The message as it is recorded; undefined for what no application is told of. */
export function inputOfMessage(message: WebSocketMessage): MessageInput | undefined {
  switch (message.type) {
    case 'ping':
    case 'pong':
      return undefined;
    case 'close':
      return message;
    case 'binary':
      return { type: 'binary', body: bodyOfBytes(message.bytes) };
    case 'text': {
      const body = bodyOfBytes(message.bytes);
      const json = 'text' in body && isJson(body.text);
      return { type: 'text', ...(json ? { contentType: 'application/json' } : {}), body };
    }
  }
}

/** The message that was recorded; undefined where its bytes were not, or it is none. */
export function messageOfInput({ type, body, code, reason }: MessageInput): WebSocketMessage | undefined {
  if (type === 'close') return { type, ...(code === undefined ? {} : { code, reason: reason ?? '' }) };
  if (type === 'end' || type === 'unread') return undefined;
  const bytes = body === undefined ? Buffer.alloc(0) : bytesOfBody(body);
  return bytes === undefined ? undefined : { type, bytes };
}
