import { BodyTape } from '../exchange/body-tape.ts';
import { reportFailure } from '../host/report-failure.ts';
import { UPLOAD_BYTES_MAX } from '../limits.ts';

/** What a file holds: as text where it is valid UTF-8, of one that is too long to keep its length and digest. */
async function contentOf(file: Blob): Promise<unknown> {
  const tape = new BodyTape(UPLOAD_BYTES_MAX);
  for await (const part of file.stream()) tape.keep(part, 0);
  if (tape.cut !== undefined) return tape.cut;
  const bytes = tape.whole;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? { text } : { base64: bytes.toString('base64') };
}

async function entryOf(name: string, value: string | File): Promise<unknown> {
  if (typeof value === 'string') return { name, value };
  return { name, file: { name: value.name, type: value.type, content: await contentOf(value) } };
}

/** Whether a body is a form, whose files nobody can read at once. */
export function isUpload(body: unknown): body is FormData {
  return Object.prototype.toString.call(body) === '[object FormData]' && body instanceof FormData;
}

/** A form by its fields and by what its files hold, as a recording keeps and compares it; the form itself where it cannot be read. */
export async function readableUpload(body: FormData): Promise<unknown> {
  try {
    return { form: await Promise.all(Array.from(body, ([name, value]) => entryOf(name, value))) };
  } catch (error) {
    reportFailure('reading an upload', error);
    return body;
  }
}
