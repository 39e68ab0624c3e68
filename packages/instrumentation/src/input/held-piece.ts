import { isUtf8 } from 'node:buffer';
import type { InputPiece } from '@reenact/trace-model';
import { INPUT_PART_BYTES } from '../limits.ts';
import { typedLine } from './typed-line.ts';

/** One read of standard input. */
export interface InputRead {
  /** Undefined: its end. */
  readonly bytes: Uint8Array | undefined;
  readonly isTerminal: boolean;
  /** Whether output goes to a terminal. */
  readonly isShown: boolean;
  /** Whether a terminal gives each key as it is hit. */
  readonly isRaw: boolean;
  readonly isFile: boolean;
  /** Whether the program has asked for a secret at the terminal. */
  readonly isSecret?: boolean;
}

/** Keys behind which what was typed is done: return, Ctrl-C and Ctrl-D. */
const ends: ReadonlySet<string | undefined> = new Set(['\r', '\n', '\u0003', '\u0004']);

function textOf(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : undefined;
}

/** Whether the keys of a line end with these. */
export function endsLine(bytes: Uint8Array): boolean {
  return ends.has(textOf(bytes)?.at(-1));
}

/**
 * What was read and belongs together: the keys of one line, the parts of a large file. It is redacted as one, for a secret is typed key by key, and lies across
 * two parts.
 */
export class HeldPiece {
  readonly startUnixNano: bigint;
  private readonly place: number;
  private readonly first: InputRead;
  private readonly parts: Uint8Array[] = [];

  constructor(place: number, first: InputRead, startUnixNano: bigint) {
    this.place = place;
    this.first = first;
    this.startUnixNano = startUnixNano;
    if (first.bytes !== undefined) this.parts.push(Uint8Array.from(first.bytes));
  }

  /** Whether more of the same is to be expected. */
  get isOpen(): boolean {
    const last = this.parts.at(-1);
    if (last === undefined) return false;
    if (this.first.isRaw) return !endsLine(last);
    return last.byteLength >= INPUT_PART_BYTES;
  }

  /** Takes what was read next, where it belongs to this. */
  takes({ bytes, isRaw, isFile }: InputRead): boolean {
    if (bytes === undefined || !this.isOpen || isRaw !== this.first.isRaw || isFile !== this.first.isFile) return false;
    this.parts.push(Uint8Array.from(bytes));
    return true;
  }

  /** What is kept of it. */
  toPiece(): InputPiece {
    const { place, first, parts } = this;
    const of = {
      place,
      ...(first.isTerminal && { isTerminal: true as const }),
      ...(first.isTerminal && first.isShown && { isShown: true as const }),
      ...(first.isFile && { isFile: true as const }),
    };
    if (parts.length === 0) return of;
    const bytes = Buffer.concat(parts);
    const keys = first.isRaw && parts.length > 1 ? parts.map(textOf) : [];
    const text = textOf(bytes);
    // As the program has it and hands it on, which is looked for there.
    if (first.isSecret === true && first.isRaw && text !== undefined && ends.has(text.at(-1)))
      return { ...of, password: typedLine(text.slice(0, -1)), data: text.slice(-1) };
    const areKeys = keys.length > 0 && keys.every((key) => key !== undefined);
    return { ...of, data: text ?? bytes, ...(areKeys && { keys: keys.map((key) => key.length) }) };
  }
}
