import { isUtf8 } from 'node:buffer';
// Whole, because Node.js before 22.15 has no zstd: a name that is not there would end an app that imports this, recorded or not.
import zlib from 'node:zlib';
import { REDACTED_COMPRESSED_BYTES_MAX, REDACTED_UNPACKED_BYTES_MAX } from '../limits.ts';
import { areOfMedia } from './media-bytes.ts';
import { type Envelope, envelopesIn, withMessage } from './message-envelopes.ts';
import { messageFields } from './message-fields.ts';
import type { MessageNames } from './message-names.ts';
import { bodyEdits } from './redact-body.ts';
import { redactedMessage } from './redact-message.ts';
import type { Redactor } from './redactor.ts';
import { editedText } from './text-edit.ts';

/** What a search of bytes came to. */
export interface SearchedBytes {
  /** The bytes without their secrets; undefined where none was found. */
  readonly changed: Buffer | undefined;
  /** Whether something in them could not be looked into. */
  readonly isUnread: boolean;
}

const clean: SearchedBytes = { changed: undefined, isUnread: false };
const unread: SearchedBytes = { changed: undefined, isUnread: true };

function changedTo(changed: Buffer | undefined): SearchedBytes {
  return changed === undefined ? clean : { changed, isUnread: false };
}

/** What is said of bytes beside them; each may be empty. */
export interface BytesFacts {
  readonly contentType: string;
  /** How they are packed (RFC 9110, section 8.4). Where nothing says it, they may say so themselves. */
  readonly coding: string;
  /** The definition of the messages in them, where that is known. */
  readonly names?: MessageNames | undefined;
}

/** What a decoder gives that is asked for itself, too: how much it has read of what it was given. */
interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

interface Coding {
  readonly unpack: (bytes: Uint8Array, options: { maxOutputLength: number; info: true }) => Buffer | Unpacked;
  readonly pack: (bytes: Uint8Array) => Buffer;
}

const gzip: Coding = { unpack: zlib.gunzipSync, pack: zlib.gzipSync };

const codings: Readonly<Record<string, Coding>> = {
  gzip,
  'x-gzip': gzip,
  deflate: { unpack: zlib.inflateSync, pack: zlib.deflateSync },
  br: { unpack: zlib.brotliDecompressSync, pack: zlib.brotliCompressSync },
  zstd: { unpack: zlib.zstdDecompressSync, pack: zlib.zstdCompressSync },
};

/** What packed bytes begin with, for packings that have a beginning of their own (RFC 1952 and RFC 8878). */
const beginnings: readonly (readonly [beginning: Buffer, coding: string])[] = [
  [Buffer.from([0x1f, 0x8b, 0x08]), 'gzip'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd'],
];

const MESSAGE_TYPE = 'application/proto';
const proseType = /json|text|xml|event-stream|urlencoded|javascript|yaml|csv/i;
/** Connect's streams and those of gRPC-Web are frames with a length, also where the messages in them are JSON. */
const messageType = /\bproto|protobuf|grpc|\bconnect\+/i;
/** Where a message that is a text by chance shows it: bodies are long, and each is looked at. */
const MESSAGE_HEAD_CHARACTERS = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: tags and lengths of protobuf are such characters, and texts hardly have any.
const controlCharacters = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

function codingOf(bytes: Buffer, coding: string): string | undefined {
  const told = coding.trim().toLowerCase();
  if (told !== '' && told !== 'identity') return told;
  return beginnings.find(([beginning]) => bytes.subarray(0, beginning.length).equals(beginning))?.[1];
}

/** Whether bytes say at their beginning that they are packed. */
export function beginPacked(bytes: Buffer): boolean {
  return codingOf(bytes, '') !== undefined;
}

/** Whether bytes that say so can be unpacked as they are. */
export function canUnpack(bytes: Buffer): boolean {
  const coding = codingOf(bytes, '');
  return coding !== undefined && unpackedBy(codings[coding], bytes) !== undefined;
}

/** Whether a text, or what follows it, may be such a message as `isMessageText` tells. */
export function mayBeMessage(text: string, contentType: string): boolean {
  return messageType.test(contentType) || controlCharacters.test(text.slice(0, MESSAGE_HEAD_CHARACTERS));
}

/**
 * Whether a text is none, but a protobuf message whose bytes happen to be characters: a longer token would make its lengths wrong.
 * `contentType` may be empty.
 */
export function isMessageText(text: string, contentType: string): boolean {
  if (messageType.test(contentType)) return true;
  if (!mayBeMessage(text, contentType)) return false;
  const bytes = Buffer.from(text, 'utf8');
  return messageFields(bytes, { start: 0, end: bytes.length })?.some(({ type }) => type === 'bytes') === true;
}

/** Whether bytes are a text, in which a token may be longer than its secret. */
export function isProse(bytes: Buffer, { contentType, coding }: BytesFacts): boolean {
  if (codingOf(bytes, coding) !== undefined || messageType.test(contentType)) return false;
  // A stream that was broken off may end within a character.
  if (proseType.test(contentType)) return true;
  return isUtf8(bytes) && !isMessageText(bytes.toString('utf8'), contentType);
}

/** Bytes without their secrets. What is protobuf, or no text, stays as long as it was. `isWhole`: nothing was broken off. */
export function redactedBytes(redactor: Redactor, bytes: Buffer, facts: BytesFacts, isWhole = true): SearchedBytes {
  const { contentType, names } = facts;
  const packed = codingOf(bytes, facts.coding);
  if (packed === undefined && areOfMedia(bytes)) return clean;
  if (packed !== undefined) return isWhole ? redactedPacked(redactor, bytes, packed, { contentType, names }) : unread;
  if (isProse(bytes, facts)) return changedTo(redactedProse(redactor, bytes, contentType));
  const envelopes = envelopesIn(bytes);
  if (envelopes !== undefined) return redactedEnvelopes(redactor, bytes, envelopes, names);
  return changedTo(redactedWhole(redactor, bytes, names));
}

function redactedWhole(redactor: Redactor, bytes: Buffer, names?: MessageNames): Buffer | undefined {
  if (names === undefined && !redactor.mayHold(bytes.toString('latin1'))) return undefined;
  const changed = redactedMessage(redactor, bytes, { names });
  return changed === undefined ? undefined : Buffer.from(changed.buffer, changed.byteOffset, changed.byteLength);
}

/** Of what is no valid UTF-8, one character stands for one byte. */
function redactedProse(redactor: Redactor, bytes: Buffer, contentType: string): Buffer | undefined {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const edits = bodyEdits(redactor, text, contentType);
  return edits.length === 0 ? undefined : Buffer.from(editedText(text, edits), encoding);
}

/** What was packed, and what stands behind it: padding, or more that is packed, for zstd unpacks one frame at a time. */
interface UnpackedPart {
  readonly content: Buffer;
  readonly rest: Buffer;
}

/** Undefined where it is cut off, damaged, longer than what is looked at, or packed in a way nobody here knows. */
function unpackedBy(coding: Coding | undefined, bytes: Buffer): UnpackedPart | undefined {
  if (coding === undefined || bytes.byteLength > REDACTED_COMPRESSED_BYTES_MAX) return undefined;
  try {
    const unpacked = coding.unpack(bytes, { maxOutputLength: REDACTED_UNPACKED_BYTES_MAX, info: true });
    if (!('engine' in unpacked)) return { content: unpacked, rest: bytes.subarray(bytes.length) };
    return { content: unpacked.buffer, rest: bytes.subarray(unpacked.engine.bytesWritten) };
  } catch {
    return undefined;
  }
}

function redactedPacked(
  redactor: Redactor,
  bytes: Buffer,
  coding: string,
  about: Omit<BytesFacts, 'coding'>,
): SearchedBytes {
  const known = codings[coding];
  const unpacked = unpackedBy(known, bytes);
  // They may not be packed, or not to their end.
  if (known === undefined || unpacked === undefined) return { changed: redactedWhole(redactor, bytes), isUnread: true };
  const facts = { ...about, coding: '' };
  const content = redactedBytes(redactor, unpacked.content, facts);
  const rest = unpacked.rest.length === 0 ? clean : redactedBytes(redactor, unpacked.rest, facts);
  const isUnread = content.isUnread || rest.isUnread;
  if (content.changed === undefined && rest.changed === undefined) {
    return { changed: redactedWhole(redactor, bytes), isUnread };
  }
  const packed =
    content.changed === undefined
      ? bytes.subarray(0, bytes.length - unpacked.rest.length)
      : known.pack(content.changed);
  return { changed: Buffer.concat([packed, rest.changed ?? unpacked.rest]), isUnread };
}

function redactedEnvelopes(
  redactor: Redactor,
  bytes: Buffer,
  envelopes: readonly Envelope[],
  names: MessageNames | undefined,
): SearchedBytes {
  const searched = envelopes.map(({ start, end, isPacked }): SearchedBytes => {
    const message = bytes.subarray(start, end);
    if (!isPacked) return changedTo(redactedWhole(redactor, message, names));
    return redactedPacked(redactor, message, codingOf(message, '') ?? '', { contentType: MESSAGE_TYPE, names });
  });
  const isUnread = searched.some((message) => message.isUnread);
  if (searched.every(({ changed }) => changed === undefined)) return { changed: undefined, isUnread };
  const changed = envelopes.flatMap((envelope, index) => withMessage(bytes, envelope, searched[index]?.changed));
  return { changed: Buffer.concat(changed), isUnread };
}
