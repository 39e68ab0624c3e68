import { BodyTape } from './body-tape.ts';

/** One part of a form as it is recorded: text, or a file by what can be known of it. */
export interface MultipartEntry {
  readonly name: string;
  readonly value?: string;
  readonly file?: { readonly name: string; readonly type: string; readonly content: unknown };
}

interface Part {
  readonly name: string;
  /** Undefined for a field that is no file. */
  readonly file: { readonly name: string; readonly type: string } | undefined;
  readonly tape: BodyTape;
}

type State = 'delimiter' | 'headers' | 'content' | 'over' | 'broken';

const lineEnd = '\r\n';
const headersEnd = '\r\n\r\n';

/** How many bytes the headers of one part may have before a body is taken for no form. */
const PART_HEADER_BYTES_MAX = 16 * 1024;

/** The mark between the parts of a form, by its content type; undefined where that is none of a form. */
export function multipartBoundary(contentType: string | undefined): string | undefined {
  const match = /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '');
  return match?.[1] ?? match?.[2];
}

/** The text of a tape where its bytes are valid UTF-8, else base64; of one that is too long, length and digest. */
export function contentOfTape(tape: BodyTape): { text: string } | { base64: string } | NonNullable<BodyTape['cut']> {
  const { cut } = tape;
  if (cut !== undefined) return cut;
  const bytes = tape.whole;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

function parameterOf(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"|;\\s*${name}=([^;\\s]+)`, 'i').exec(header);
  return match?.[1] ?? match?.[2];
}

function headerOf(headers: string, name: string): string | undefined {
  const line = headers.split(lineEnd).find((text) => text.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/**
 * The parts of a form as its bytes pass by, however they are cut into chunks. What the files hold is kept up to a number of bytes in all; of
 * those for which no room is left, length and digest.
 */
export class MultipartTape {
  private readonly delimiter: Buffer;
  private readonly parts: Part[] = [];
  private bytesLeft: number;
  private partBytes = 0;
  private state: State = 'delimiter';
  /** Not yet taken apart. The first delimiter has no line before it. */
  private rest: Buffer = Buffer.from(lineEnd);

  constructor(boundary: string, bytesMax: number) {
    this.delimiter = Buffer.from(`${lineEnd}--${boundary}`, 'latin1');
    this.bytesLeft = bytesMax;
  }

  keep(bytes: Uint8Array): void {
    if (this.state === 'over' || this.state === 'broken') return;
    this.rest = Buffer.concat([this.rest, bytes]);
    while (this.step());
  }

  /** Nothing more comes: what might have begun a delimiter was content. */
  finish(): void {
    if (this.state !== 'content') return;
    this.parts.at(-1)?.tape.keep(this.rest, 0);
    this.rest = Buffer.alloc(0);
  }

  /** What has come so far; undefined where it is no form. */
  get entries(): readonly MultipartEntry[] | undefined {
    return this.state === 'broken' ? undefined : this.parts.map((part) => this.entryOf(part));
  }

  /** Whether the last part has been closed. */
  get isWhole(): boolean {
    return this.state === 'over';
  }

  private entryOf({ name, file, tape }: Part): MultipartEntry {
    const content = contentOfTape(tape);
    if (file !== undefined) return { name, file: { ...file, content } };
    return 'text' in content ? { name, value: content.text } : { name, file: { name: '', type: '', content } };
  }

  /** Takes one piece off what has come; false where more has to come first. */
  private step(): boolean {
    switch (this.state) {
      case 'delimiter':
        return this.delimited();
      case 'headers':
        return this.headed();
      case 'content':
        return this.filled();
      case 'over':
      case 'broken':
        return false;
    }
  }

  private delimited(): boolean {
    const { delimiter, rest } = this;
    if (rest.length < delimiter.length + 2) return false;
    const follows = rest.toString('latin1', delimiter.length, delimiter.length + 2);
    const isDelimiter = rest.subarray(0, delimiter.length).equals(delimiter);
    this.rest = rest.subarray(delimiter.length + 2);
    this.state = !isDelimiter ? 'broken' : follows === '--' ? 'over' : follows === lineEnd ? 'headers' : 'broken';
    return true;
  }

  private headed(): boolean {
    const at = this.rest.indexOf(headersEnd);
    if (at === -1) {
      if (this.rest.length > PART_HEADER_BYTES_MAX) this.state = 'broken';
      return false;
    }
    const headers = this.rest.toString('utf8', 0, at);
    this.rest = this.rest.subarray(at + headersEnd.length);
    const disposition = headerOf(headers, 'content-disposition') ?? '';
    const name = parameterOf(disposition, 'name');
    if (name === undefined) {
      this.state = 'broken';
      return true;
    }
    const fileName = parameterOf(disposition, 'filename');
    const type = headerOf(headers, 'content-type');
    const file = fileName === undefined ? undefined : { name: fileName, type: type ?? '' };
    this.parts.push({ name, file, tape: new BodyTape(this.bytesLeft) });
    this.partBytes = 0;
    this.state = 'content';
    return true;
  }

  private filled(): boolean {
    const { delimiter, rest } = this;
    const at = rest.indexOf(delimiter);
    // The start of a delimiter may be the end of what has come.
    const end = at === -1 ? Math.max(0, rest.length - delimiter.length + 1) : at;
    const tape = this.parts.at(-1)?.tape;
    if (end > 0) tape?.keep(rest.subarray(0, end), 0);
    this.partBytes += end;
    this.rest = rest.subarray(end);
    if (at === -1) return false;
    if (tape?.cut === undefined) this.bytesLeft -= this.partBytes;
    this.state = 'delimiter';
    return true;
  }
}
