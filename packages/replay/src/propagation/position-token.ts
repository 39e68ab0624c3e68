import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { POSITION_TOKEN_BYTES_MAX } from '../limits.ts';

/** Name of the one baggage member that carries a position between processes. */
const POSITION_BAGGAGE_MEMBER = 'reenact.replay';

/** A position as it travels between processes. */
export interface TravellingPosition {
  readonly replayId: string;
  /** Recorded span id; undefined stands above the root. */
  readonly cursor: string | undefined;
}

/** A position, and how long it counts. */
export interface MortalPosition extends TravellingPosition {
  /** Milliseconds since 1970 from which on it counts no more; whole seconds. */
  readonly expiresUnixMs: number;
}

/** Why a position is ignored. `foreign`: it is of another replay than the one it was held against. */
export type PositionFault = 'malformed' | 'forged' | 'expired' | 'foreign';

/** What a token turned out to be. */
export type VerifiedPosition =
  | { readonly type: 'valid'; readonly position: TravellingPosition }
  | { readonly type: PositionFault };

interface TokenParts {
  readonly replayId: string;
  readonly cursor: string;
  readonly expiry: string;
  readonly mac: string;
}

const aboveRoot = '-';
// Half of a SHA-256: enough that nobody guesses one within the life of a replay, and short on every request.
const macBytes = 16;
const tokenPattern = /^([A-Za-z0-9-]{1,64})\.([A-Za-z0-9-]{1,64})\.([1-9][0-9]{0,14})\.([\w-]{22})$/;

function macOf(key: string, signed: string): string {
  const mac = createHmac('sha256', Buffer.from(key, 'base64url')).update(signed, 'utf8').digest();
  return mac.subarray(0, macBytes).toString('base64url');
}

function partsOf(token: string): TokenParts | undefined {
  if (token.length > POSITION_TOKEN_BYTES_MAX) return undefined;
  const [, replayId, cursor, expiry, mac] = tokenPattern.exec(token) ?? [];
  if (replayId === undefined || cursor === undefined || expiry === undefined || mac === undefined) return undefined;
  return { replayId, cursor, expiry, mac };
}

/** A fresh key of one replay, base64url. */
export function createPositionKey(): string {
  return randomBytes(32).toString('base64url');
}

/** `<replay id>.<cursor>.<expiry>.<mac>`, the expiry in seconds since 1970: at most 256 bytes, all allowed in a baggage value. */
export function signPosition(key: string, { replayId, cursor, expiresUnixMs }: MortalPosition): string {
  const signed = `${replayId}.${cursor ?? aboveRoot}.${Math.ceil(expiresUnixMs / 1_000)}`;
  return `${signed}.${macOf(key, signed)}`;
}

/** The replay a token says it is of, unverified; undefined where it is no token. */
export function claimedReplayId(token: string): string | undefined {
  return partsOf(token)?.replayId;
}

/** Reads a token, checks its MAC in constant time, and only then whether it still counts. Never throws. */
export function verifyPosition(key: string, token: string, nowUnixMs: number): VerifiedPosition {
  const parts = partsOf(token);
  if (parts === undefined) return { type: 'malformed' };
  const { replayId, cursor, expiry, mac } = parts;
  const expected = Buffer.from(macOf(key, `${replayId}.${cursor}.${expiry}`), 'utf8');
  const given = Buffer.from(mac, 'utf8');
  if (expected.byteLength !== given.byteLength || !timingSafeEqual(expected, given)) return { type: 'forged' };
  if (nowUnixMs >= Number(expiry) * 1_000) return { type: 'expired' };
  return { type: 'valid', position: { replayId, cursor: cursor === aboveRoot ? undefined : cursor } };
}

function withoutOurs(baggage: string): string[] {
  return baggage
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '' && !member.startsWith(`${POSITION_BAGGAGE_MEMBER}=`));
}

/** A W3C baggage header with this position; the other members of the given one stay. */
export function baggageWithPosition(baggage: string | undefined, key: string, position: MortalPosition): string {
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

/** What a process that takes part in a replay answers when it is asked whether it would honour this token. */
export function joinProof(key: string, token: string): string {
  return macOf(key, `joined.${token}`);
}

/** Whether an answer to that question was made with the replay's key; in constant time. */
export function isJoinProof(key: string, token: string, proof: string): boolean {
  const expected = Buffer.from(joinProof(key, token), 'utf8');
  const given = Buffer.from(proof, 'utf8');
  return expected.byteLength === given.byteLength && timingSafeEqual(expected, given);
}
