import { mayHoldMessage, messagesOfRequest } from '../messages/method-messages.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { redactedBytes } from './redact-bytes.ts';

/** What a search of the message in an address came to. */
export interface SearchedAddress {
  /** The address without the secrets of its message; undefined where there are none. */
  readonly changed: string | undefined;
  /** Whether something in it could not be looked into. */
  readonly isUnread: boolean;
}

const clean: SearchedAddress = { changed: undefined, isUnread: false };

/** Where Connect puts the request of a `GET`: beside what encodes it, base64 for an address or percent-encoded. */
const messageParameter = /[?&]message=([^&#\s]*)/;
const padded = /=$|%3D$/i;
const percentEncoded = /%([0-9A-Fa-f]{2})|([\s\S])/g;

function percentBytes(text: string): Buffer {
  const plain = text.replaceAll(percentEncoded, (_found, byte: string | undefined, character: string) =>
    byte === undefined
      ? Buffer.from(character, 'utf8').toString('latin1')
      : String.fromCharCode(Number.parseInt(byte, 16)),
  );
  return Buffer.from(plain, 'latin1');
}

function percentText(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[^A-Za-z0-9_.~-]/g, (byte) => `%${Buffer.from(byte, 'latin1').toString('hex').toUpperCase()}`);
}

/** Padded as the text was that it stands for. */
function base64Text(bytes: Buffer, given: string): string {
  const text = bytes.toString('base64url');
  const [padding = ''] = padded.exec(given) ?? [];
  return text + padding.repeat((4 - (text.length % 4)) % 4);
}

/** Searches the message in an address as one in a body is searched: by its definition where that is known. */
export function searchedAddress(redactor: Redactor, address: string): SearchedAddress {
  const [whole, message] = mayHoldMessage(address) ? (messageParameter.exec(address) ?? []) : [];
  if (whole === undefined || message === undefined || message === '') return clean;
  const parameters = new URLSearchParams(address.replace(/^[^?]*\?/, '').replace(/#.*$/s, ''));
  const encoding = parameters.get('encoding');
  if (encoding === null) return clean;
  const isBase64 = parameters.get('base64') === '1';
  const contentType = `application/${encoding}`;
  const plain = percentBytes(message);
  const bytes = isBase64 ? Buffer.from(plain.toString('latin1'), 'base64') : plain;
  const { changed, isUnread } = redactedBytes(redactor, bytes, {
    contentType,
    coding: parameters.get('compression') ?? '',
    names: messagesOfRequest(address, contentType)?.request,
  });
  if (changed === undefined) return { changed: undefined, isUnread };
  const text = isBase64 ? base64Text(changed, message) : percentText(changed);
  return { changed: address.replace(whole, () => whole.slice(0, -message.length) + text), isUnread };
}
