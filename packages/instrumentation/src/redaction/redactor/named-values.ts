import { ReenactError } from '@reenact/trace-model';
import { MESSAGE_NESTING_MAX, NAMED_MEMBERS_MAX } from '../../limits.ts';
import { isOwnToken } from '../messages/message-token.ts';
import { isRoundTripValue, secrecyOfName } from '../text/secret-names.ts';
import type { Redactor } from './redactor.ts';

/** Of each value that its name makes a secret as a whole, its bytes as characters, and what stands for it. */
export type NamedValues = ReadonlyMap<string, string>;

interface Place {
  readonly name: string | undefined;
  readonly steps: readonly string[];
}

/** Members of messages that are nothing but a value, such as wrappers and those of `google.protobuf.Struct`: what names their message names that. */
const valueMember = /^(?:fields|kind|values?|(?:string|bytes|list|struct)_?values?)$/i;

const base64 = /^[A-Za-z0-9+/]{4,}={0,2}$/;

function inside({ name, steps }: Place, member: string): Place {
  return { name: valueMember.test(member) ? name : member, steps: [...steps, member] };
}

/** The members of a message by their names: classes of google-protobuf keep them in a list without names, and tell them only so. */
export function membersOf(message: object): object {
  const toObject: unknown = Reflect.get(message, 'toObject');
  const given: unknown = typeof toObject === 'function' ? Reflect.apply(toObject, message, []) : message;
  return typeof given === 'object' && given !== null ? given : message;
}

/** A list of name and value, which stands for a map where it is in a list. */
function isPair(value: unknown): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}

class Finder {
  readonly found = new Map<string, string>();
  private readonly redactor: Redactor;
  private readonly tellsBytesAsText: boolean;
  private left = NAMED_MEMBERS_MAX;

  constructor(redactor: Redactor, tellsBytesAsText: boolean) {
    this.redactor = redactor;
    this.tellsBytesAsText = tellsBytesAsText;
  }

  look(value: unknown, place: Place): void {
    const isText = typeof value === 'string';
    if (place.steps.length > MESSAGE_NESTING_MAX || !(isText || (typeof value === 'object' && value !== null))) return;
    // Whoever asks keeps nothing of the message then: what is left may be a secret.
    if (this.left === 0)
      throw new ReenactError('bad-argument', `A message has more than ${NAMED_MEMBERS_MAX} members: it is withheld.`);
    this.left -= 1;
    if (isText) this.text(value, place);
    else if (value instanceof Uint8Array) this.bytes(value, place);
    else if (!ArrayBuffer.isView(value)) this.members(value, place);
  }

  private members(value: object, place: Place): void {
    if (Array.isArray(value) || value instanceof Map) {
      for (const item of value) {
        if (isPair(item)) this.look(item[1], { name: item[0], steps: [...place.steps, item[0]] });
        else this.look(item, place);
      }
    } else for (const [member, held] of Object.entries(value)) this.look(held, inside(place, member));
  }

  private isNamed({ name, steps }: Place): boolean {
    return (name !== undefined && secrecyOfName(name) !== undefined) || this.redactor.isNamedByPath(steps);
  }

  private text(text: string, place: Place): void {
    if (!this.isNamed(place)) return;
    this.value(Buffer.from(text, 'utf8'), place);
    if (this.tellsBytesAsText && base64.test(text)) this.value(Buffer.from(text, 'base64'), place);
  }

  private bytes(bytes: Uint8Array, place: Place): void {
    if (this.isNamed(place)) this.value(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), place);
  }

  private value(bytes: Buffer, { name, steps }: Place): void {
    const value = bytes.toString('latin1');
    if (this.found.has(value) || isOwnToken(this.redactor, value) || isRoundTripValue(name, value)) return;
    const leaf = { value, name, steps, calledBy: undefined, isNumber: false, isBytes: false };
    const [edit, ...others] = this.redactor.leafEdits(leaf);
    const isWhole = edit !== undefined && others.length === 0 && edit.start === 0 && edit.end === value.length;
    if (isWhole) this.found.set(value, edit.text);
  }
}

/**
 * The values of a message that their names make secrets, out of the object that it was made from or read into: generated code says
 * nowhere else what its fields are called.
 */
export function namedValues(redactor: Redactor, message: object): NamedValues {
  const members = membersOf(message);
  const finder = new Finder(redactor, members !== message);
  finder.look(members, { name: undefined, steps: [] });
  return finder.found;
}
