import { tokenOf } from '../messages/message-token.ts';
import { membersOf, type NamedValues, namedValues } from '../redactor/named-values.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { pointerOf } from '../text/json-leaves.ts';

/** The members of a message without what their names make secrets. */
export interface RedactedMembers {
  readonly value: unknown;
  /** JSON pointers of what was replaced. */
  readonly redacted: readonly string[];
  /** Nothing of the message is in `value`, because it could not be searched. */
  readonly isWithheld?: true;
}

class Replacer {
  readonly redacted: string[] = [];
  private readonly redactor: Redactor;
  private readonly wanted: NamedValues;

  constructor(redactor: Redactor, wanted: NamedValues) {
    this.redactor = redactor;
    this.wanted = wanted;
  }

  /** The same value where nothing in it is replaced. What holds it is copied: it is the host's. */
  without(value: unknown, steps: readonly string[]): unknown {
    if (typeof value === 'string') return this.token(Buffer.from(value, 'utf8'), steps) ?? value;
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return this.bytes(value, steps);
    if (ArrayBuffer.isView(value)) return value;
    if (value instanceof Map) return this.map(value, steps);
    return this.members(value, steps);
  }

  private token(bytes: Buffer, steps: readonly string[]): string | undefined {
    const token = this.wanted.get(bytes.toString('latin1'));
    if (token !== undefined) this.redacted.push(pointerOf(steps));
    return token;
  }

  private bytes(value: Uint8Array, steps: readonly string[]): Uint8Array {
    const token = this.token(Buffer.from(value.buffer, value.byteOffset, value.byteLength), steps);
    return token === undefined ? value : Buffer.from(tokenOf(this.redactor, value.byteLength, token), 'latin1');
  }

  private map(value: ReadonlyMap<unknown, unknown>, steps: readonly string[]): ReadonlyMap<unknown, unknown> {
    const kept = Array.from(value, ([key, held]) => [key, this.without(held, [...steps, String(key)])] as const);
    return kept.every(([key, held]) => held === value.get(key)) ? value : new Map(kept);
  }

  private members(value: object, steps: readonly string[]): object {
    let changed: object | undefined;
    for (const [member, held] of Object.entries(value)) {
      const kept = this.without(held, [...steps, member]);
      if (kept === held) continue;
      changed ??= Array.isArray(value) ? [...value] : copyOf(value);
      Object.defineProperty(changed, member, { value: kept, enumerable: true, configurable: true, writable: true });
    }
    return changed ?? value;
  }
}

function copyOf(value: object): object {
  return Object.create(Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value)) as object;
}

/**
 * The members of a message without what their names make secrets, also in bytes, and in messages that are nothing but a value. Classes of
 * google-protobuf become the objects that they tell their members by.
 */
export function redactedMembers(redactor: Redactor, message: object): RedactedMembers {
  const members = membersOf(message);
  const wanted = namedValues(redactor, message);
  if (wanted.size === 0) return { value: members, redacted: [] };
  const replacer = new Replacer(redactor, wanted);
  return { value: replacer.without(members, []), redacted: replacer.redacted };
}
