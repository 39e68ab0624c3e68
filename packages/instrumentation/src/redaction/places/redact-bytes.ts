import { isUtf8 } from 'node:buffer';
import { REDACTED_PACKING_DEPTH_MAX } from '../../limits.ts';
import { type Envelope, envelopesIn, withMessage } from '../messages/message-envelopes.ts';
import { messageFields } from '../messages/message-fields.ts';
import type { MessageNames } from '../messages/message-names.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { areOfMedia } from '../text/media-bytes.ts';
import { editedText } from '../text/text-edit.ts';
import { codingOf, Unpacker } from '../text/unpacker.ts';
import { asWebText, isWebText, webTextOf } from '../text/web-text.ts';
import { searchedBody } from './redact-body.ts';
import { redactedMessage } from './redact-message.ts';

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

const MESSAGE_TYPE = 'application/proto';
const proseType = /json|text|xml|event-stream|urlencoded|javascript|yaml|csv/i;
/** Connect's streams and those of gRPC-Web are frames with a length, also where the messages in them are JSON. */
const messageType = /\bproto|protobuf|grpc|\bconnect\+/i;
/** Where a message that is a text by chance shows it: bodies are long, and each is looked at. */
const MESSAGE_HEAD_CHARACTERS = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: tags and lengths of protobuf are such characters, and texts hardly have any.
const controlCharacters = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

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
  if (!isWhole && codingOf(bytes, facts.coding) !== undefined) return unread;
  return searchedBytes(redactor, bytes, { ...facts, unpacker: new Unpacker(), depth: 0 });
}

/** What is known of bytes, and what unpacks those that are in them: one for all, so that its bounds hold for all together. */
interface SearchFacts extends BytesFacts {
  readonly unpacker: Unpacker;
  /** In, or behind, how many others they were packed. */
  readonly depth: number;
}

function searchedBytes(redactor: Redactor, bytes: Buffer, facts: SearchFacts): SearchedBytes {
  const { names } = facts;
  if (isWebText(facts.contentType) && codingOf(bytes, facts.coding) === undefined)
    return redactedWebText(redactor, bytes, facts);
  const packed = codingOf(bytes, facts.coding);
  if (packed === undefined && areOfMedia(bytes)) return clean;
  if (packed !== undefined) return redactedPacked(redactor, bytes, packed, facts);
  if (isProse(bytes, facts)) return redactedProse(redactor, bytes, facts.contentType);
  const envelopes = envelopesIn(bytes);
  if (envelopes !== undefined) return redactedEnvelopes(redactor, bytes, envelopes, facts);
  return changedTo(redactedWhole(redactor, bytes, names));
}

function redactedWhole(redactor: Redactor, bytes: Buffer, names?: MessageNames): Buffer | undefined {
  if (names === undefined && !redactor.mayHold(bytes.toString('latin1'))) return undefined;
  const changed = redactedMessage(redactor, bytes, { names });
  return changed === undefined ? undefined : Buffer.from(changed.buffer, changed.byteOffset, changed.byteLength);
}

/** Of what is no valid UTF-8, one character stands for one byte. */
function redactedProse(redactor: Redactor, bytes: Buffer, contentType: string): SearchedBytes {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const { edits, isUnread } = searchedBody(redactor, text, contentType);
  return { changed: edits.length === 0 ? undefined : Buffer.from(editedText(text, edits), encoding), isUnread };
}

function redactedWebText(redactor: Redactor, bytes: Buffer, facts: SearchFacts): SearchedBytes {
  const within = { ...facts, contentType: MESSAGE_TYPE };
  const text = webTextOf(bytes.toString('latin1'));
  if (text === undefined) return searchedBytes(redactor, bytes, within);
  const { changed, isUnread } = searchedBytes(redactor, text.bytes, within);
  return { changed: changed && Buffer.from(asWebText(changed, text.lengths), 'latin1'), isUnread };
}

/** Looks into all that is packed here one behind the other: zstd unpacks one frame at a time, and padding may follow. */
function redactedPacked(redactor: Redactor, bytes: Buffer, coding: string, about: SearchFacts): SearchedBytes {
  const within = { ...about, coding: '', depth: about.depth + 1 };
  const pieces: Buffer[] = [];
  let isChanged = false;
  let isUnread = false;
  let rest = bytes;
  let next: string | undefined = coding;
  while (next !== undefined) {
    const unpacked = about.depth < REDACTED_PACKING_DEPTH_MAX ? about.unpacker.unpack(rest, next) : undefined;
    if (unpacked === undefined) break;
    const content = searchedBytes(redactor, unpacked.content, within);
    const packed = rest.subarray(0, rest.length - unpacked.rest.length);
    pieces.push(content.changed === undefined ? packed : unpacked.pack(content.changed));
    isChanged ||= content.changed !== undefined;
    isUnread ||= content.isUnread;
    rest = unpacked.rest;
    next = rest.length === 0 ? undefined : codingOf(rest, '');
  }
  const behind = next === undefined ? searchedRest(redactor, rest, within) : asItIs(redactor, rest);
  if (pieces.length === 0) return behind;
  isUnread ||= behind.isUnread;
  if (!isChanged && behind.changed === undefined) return { changed: redactedWhole(redactor, bytes), isUnread };
  return { changed: Buffer.concat([...pieces, behind.changed ?? rest]), isUnread };
}

function searchedRest(redactor: Redactor, rest: Buffer, facts: SearchFacts): SearchedBytes {
  return rest.length === 0 ? clean : searchedBytes(redactor, rest, facts);
}

/** They may not be packed, or not to their end. */
function asItIs(redactor: Redactor, bytes: Buffer): SearchedBytes {
  return { changed: redactedWhole(redactor, bytes), isUnread: true };
}

function redactedEnvelopes(
  redactor: Redactor,
  bytes: Buffer,
  envelopes: readonly Envelope[],
  facts: SearchFacts,
): SearchedBytes {
  const searched = envelopes.map(({ start, end, isPacked }): SearchedBytes => {
    const message = bytes.subarray(start, end);
    if (!isPacked) return changedTo(redactedWhole(redactor, message, facts.names));
    return redactedPacked(redactor, message, codingOf(message, '') ?? '', { ...facts, contentType: MESSAGE_TYPE });
  });
  const isUnread = searched.some((message) => message.isUnread);
  if (searched.every(({ changed }) => changed === undefined)) return { changed: undefined, isUnread };
  const changed = envelopes.flatMap((envelope, index) => withMessage(bytes, envelope, searched[index]?.changed));
  return { changed: Buffer.concat(changed), isUnread };
}
