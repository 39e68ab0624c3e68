import { UPLOAD_BYTES_MAX } from '../limits.ts';
import { BodyTape } from './body-tape.ts';
import { contentOfTape, type MultipartEntry, MultipartTape, multipartBoundary } from './multipart-tape.ts';

/** A body as the input of a call holds it. `isBroken`: reading it to be sent failed there, and with it the request. */
export type UploadBody = ({ readonly form: readonly MultipartEntry[] } | ReturnType<typeof contentOfTape>) & {
  readonly isBroken?: true;
};

/** The body of a request that is sent while it is read: a form by its fields and files, whatever the mark between them. */
export class UploadTape {
  private readonly form: MultipartTape | undefined;
  /** Of what says that it is a form, the digest alone: should it turn out to be none, there is something to compare. */
  private readonly raw: BodyTape;

  constructor(contentType: string | undefined) {
    const boundary = multipartBoundary(contentType);
    this.form = boundary === undefined ? undefined : new MultipartTape(boundary, UPLOAD_BYTES_MAX);
    this.raw = new BodyTape(boundary === undefined ? UPLOAD_BYTES_MAX : 0);
  }

  keep(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.raw.keep(bytes, 0);
    this.form?.keep(bytes);
  }

  /** All that was sent. */
  get whole(): UploadBody {
    const entries = this.form?.isWhole === true ? this.form.entries : undefined;
    return entries === undefined ? contentOfTape(this.raw) : { form: entries };
  }

  /** What came before reading it failed; nothing is kept after. */
  broken(): UploadBody {
    this.form?.finish();
    const entries = this.form?.entries;
    return { ...(entries === undefined ? contentOfTape(this.raw) : { form: entries }), isBroken: true };
  }
}
