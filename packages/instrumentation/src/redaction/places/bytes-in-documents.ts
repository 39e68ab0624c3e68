import { messagesOfRequest } from '../messages/method-messages.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { BYTES_MEMBER, type JsonLeaf } from '../text/json-leaves.ts';
import { areOfMedia, MEDIA_HEAD_BYTES } from '../text/media-bytes.ts';
import { searchedAddress } from './message-address.ts';
import { type BytesFacts, isMessageText, redactedBytes } from './redact-bytes.ts';

/** What a search of one leaf as bytes came to. */
export interface SearchedLeaf {
  /** What stands there without the secrets, as it is written in a document; undefined where none was found. */
  readonly changed: string | undefined;
  /** Whether something in it could not be looked into. */
  readonly isUnread: boolean;
  /** What it may be beside: a text, of which all counts that is found in it; or one of which only counts what names it as a whole. */
  readonly alsoText: 'any' | 'whole' | 'named';
}

/** No secret has a form that is so long and nothing but base64. */
const BASE64_CHARACTERS_MAX = 1_024;

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Bytes that are recorded as such, or may be: HTTP, gRPC and WebSockets record them as a member of this name alone. */
function bytesOf({ isBytes, name, value }: JsonLeaf): Buffer | undefined {
  if (isBytes) return Buffer.from(value, 'base64');
  const isLikely = name === BYTES_MEMBER && value.length % 4 === 0 && base64.test(value);
  return isLikely ? Buffer.from(value, 'base64') : undefined;
}

/** Told by their beginning, so that millions of bytes need not be decoded. */
function isBase64OfMedia(value: string): boolean {
  return areOfMedia(Buffer.from(value.slice(0, 2 * MEDIA_HEAD_BYTES), 'base64'));
}

/** Searches the bytes of one document, whose members tell before them what they are. */
export class BytesInDocument {
  private readonly redactor: Redactor;
  private contentType = '';
  private coding = '';
  private url = '';

  constructor(redactor: Redactor) {
    this.redactor = redactor;
  }

  /** Undefined where a leaf is a text to be searched as such. To be asked of all leaves, in their order. */
  search(leaf: JsonLeaf): SearchedLeaf | undefined {
    const { name, steps, value } = leaf;
    if (name === 'url' && steps.length === 1) return this.searchAddress(value);
    // Of a request by itself, of an answer among its headers.
    if (name === 'contentType' || name === 'content-type') this.contentType = value;
    else if (name === 'content-encoding') this.coding = value;
    const isBody = steps.at(-2) === 'body' && (name === BYTES_MEMBER || name === 'text');
    const [contentType, coding] = isBody ? [this.contentType, this.coding] : ['', ''];
    const names = isBody ? messagesOfRequest(this.url, contentType)?.request : undefined;
    if (name === BYTES_MEMBER || leaf.isBytes) return this.searchBytes(leaf, { contentType, coding, names });
    if (leaf.isNumber || !isMessageText(value, contentType)) return undefined;
    const facts = { contentType, coding: '', names };
    const { changed, isUnread } = redactedBytes(this.redactor, Buffer.from(value, 'utf8'), facts);
    return { changed: changed?.toString('utf8'), isUnread, alsoText: 'whole' };
  }

  private searchAddress(address: string): SearchedLeaf | undefined {
    this.url = address;
    const { changed, isUnread } = searchedAddress(this.redactor, address);
    if (changed === undefined) return isUnread ? { changed, isUnread, alsoText: 'any' } : undefined;
    return { changed: this.redactor.text(changed), isUnread, alsoText: 'whole' };
  }

  private searchBytes(leaf: JsonLeaf, facts: BytesFacts): SearchedLeaf | undefined {
    const { value } = leaf;
    const isLong = value.length > BASE64_CHARACTERS_MAX && !this.redactor.hasUserRules;
    const alsoText = leaf.isBytes || (isLong && !this.redactor.holdsKnown(value)) ? 'named' : 'any';
    if (isBase64OfMedia(value)) return { changed: undefined, isUnread: false, alsoText };
    const bytes = bytesOf(leaf);
    if (bytes === undefined) return undefined;
    const { changed, isUnread } = redactedBytes(this.redactor, bytes, facts);
    return { changed: changed?.toString('base64'), isUnread, alsoText };
  }
}
