import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { POSITION_TOKEN_BYTES_MAX } from '../limits.ts';

/** Name of the one baggage member that carries a position between processes. */
export const POSITION_BAGGAGE_MEMBER = 'reenact.replay';

/** A position as it travels between processes. */
export interface TravellingPosition {
  readonly replayId: string;
  /** Recorded span id; undefined stands above the root. */
  readonly cursor: string | undefined;
}

const aboveRoot = '-';
// Half of a SHA-256: enough that nobody guesses one within the life of a replay, and short on every request.
const macBytes = 16;
const partPattern = /^[A-Za-z0-9-]{1,64}$/;

function macOf(key: string, signed: string): string {
  const mac = createHmac('sha256', Buffer.from(key, 'base64url')).update(signed, 'utf8').digest();
  return mac.subarray(0, macBytes).toString('base64url');
}

/** A fresh key of one replay, base64url. */
export function createPositionKey(): string {
  return randomBytes(32).toString('base64url');
}

/** `<replay id>.<cursor>.<mac>`: at most 256 bytes, all of them allowed in a baggage value. */
export function signPosition(key: string, position: TravellingPosition): string {
  const signed = `${position.replayId}.${position.cursor ?? aboveRoot}`;
  return `${signed}.${macOf(key, signed)}`;
}

/** Reads a token and checks its MAC; undefined for anything forged, damaged or too long. */
export function verifyPosition(key: string, token: string): TravellingPosition | undefined {
  if (Buffer.byteLength(token, 'utf8') > POSITION_TOKEN_BYTES_MAX) return undefined;
  const [replayId, cursor, mac, ...rest] = token.split('.');
  if (replayId === undefined || cursor === undefined || mac === undefined || rest.length > 0) return undefined;
  if (!partPattern.test(replayId) || !partPattern.test(cursor)) return undefined;
  const expected = Buffer.from(macOf(key, `${replayId}.${cursor}`), 'utf8');
  const given = Buffer.from(mac, 'utf8');
  if (expected.byteLength !== given.byteLength || !timingSafeEqual(expected, given)) return undefined;
  return { replayId, cursor: cursor === aboveRoot ? undefined : cursor };
}

function withoutOurs(baggage: string): string[] {
  return baggage
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '' && !member.startsWith(`${POSITION_BAGGAGE_MEMBER}=`));
}

/** A W3C baggage header with this position; the other members of the given one stay. */
export function baggageWithPosition(baggage: string | undefined, key: string, position: TravellingPosition): string {
  return [...withoutOurs(baggage ?? ''), `${POSITION_BAGGAGE_MEMBER}=${signPosition(key, position)}`].join(',');
}

/** The token in a W3C baggage header, unverified; undefined where there is none. */
export function positionTokenIn(baggage: string | undefined): string | undefined {
  const start = `${POSITION_BAGGAGE_MEMBER}=`;
  const member = (baggage ?? '')
    .split(',')
    .map((item) => item.trim())
    .find((item) => item.startsWith(start));
  return member?.slice(start.length).split(';')[0]?.trim();
}
