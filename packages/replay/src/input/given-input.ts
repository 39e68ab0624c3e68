import { pristine } from '@reenact/instrumentation';
import type { InputPiece } from '@reenact/trace-model';
import { INPUT_CHUNK_BYTES, INPUT_KEY_TURNS } from '../limits.ts';
import { ReplayedStdin } from './replayed-stdin.ts';

interface FilePiece {
  readonly piece: InputPiece;
  /** Told when the program reads it. */
  readonly read: () => void;
  rest: Uint8Array;
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : data;
}

/** What a piece came in: its keys, or what a pipe holds at once. A line in which something was redacted has other keys: its end is one. */
function* chunksOf({ data, keys, password }: InputPiece): Generator<string | Uint8Array | null> {
  if (password !== undefined) yield password;
  if (data === undefined) {
    yield null;
    return;
  }
  if (typeof data === 'string' && keys !== undefined) {
    const isWhole = keys.reduce((sum, key) => sum + key, 0) === data.length;
    let from = 0;
    for (const key of isWhole ? keys : [data.length - 1, 1]) {
      if (key > 0) yield data.slice(from, from + key);
      from += key;
    }
    return;
  }
  const bytes = bytesOf(data);
  for (let from = 0; from < bytes.byteLength; from += INPUT_CHUNK_BYTES)
    yield bytes.subarray(from, from + INPUT_CHUNK_BYTES);
}

/** The standard input of a process that replays one whose input was recorded: each piece is given once, whichever runs hold it. */
export class GivenInput {
  readonly stdin: ReplayedStdin;
  /** Told when the program waits for more of the stream. */
  wanted: () => void = () => undefined;
  private readonly given = new Set<number>();
  private readonly files: FilePiece[] = [];
  /** The first is given, and reacted to. */
  private readonly coming: (string | Uint8Array | null)[] = [];

  /** Whether what the program said went to the terminal, too, that gave this. */
  readonly isShown: boolean;

  /** `pieces`: all that is to be given. */
  constructor(pieces: readonly InputPiece[]) {
    this.isShown = pieces.some((piece) => piece.isShown === true);
    const isTerminal = pieces.some((piece) => piece.isTerminal === true);
    this.stdin = new ReplayedStdin({ isTerminal, wanted: () => this.wanted() });
  }

  /** Whether a piece was given already, or is there to be read. */
  has({ place }: InputPiece): boolean {
    return this.given.has(place);
  }

  /** Whether the stream waits for more, and has been given all that came before. */
  get isAwaited(): boolean {
    return this.coming.length === 0 && this.stdin.isReading;
  }

  /** Gives the stream what was recorded of it: the first at once, and each key when the program has had turns to react to the one before. */
  give(pieces: readonly InputPiece[]): void {
    const isComing = this.coming.length > 0;
    for (const piece of pieces) {
      if (this.has(piece)) continue;
      this.given.add(piece.place);
      this.coming.push(...chunksOf(piece));
    }
    if (!isComing) this.giveNext();
  }

  private giveNext(): void {
    const [next] = this.coming;
    if (next === undefined) return;
    this.stdin.give(next);
    this.turn(INPUT_KEY_TURNS);
  }

  private turn(left: number): void {
    pristine.setImmediate(() => {
      if (left > 1) {
        this.turn(left - 1);
        return;
      }
      this.coming.shift();
      if (this.coming.length > 0) this.giveNext();
      else if (this.stdin.isReading) this.wanted();
    });
  }

  /** Holds out what the program read like a file, until it does. */
  holdOut(piece: InputPiece, read: () => void = () => undefined): void {
    if (this.has(piece)) return;
    this.given.add(piece.place);
    this.files.push({ piece, read, rest: bytesOf(piece.data ?? '') });
    this.files.sort((left, right) => left.piece.place - right.piece.place);
  }

  /** The next that is read like a file, at most so long; empty at the end. */
  readFile(lengthMax: number): Uint8Array {
    const [next] = this.files;
    if (next === undefined) return new Uint8Array();
    if (next.rest.byteLength === bytesOf(next.piece.data ?? '').byteLength) next.read();
    const part = next.rest.subarray(0, lengthMax);
    next.rest = next.rest.subarray(part.byteLength);
    if (next.rest.byteLength === 0) this.files.shift();
    return part;
  }
}
