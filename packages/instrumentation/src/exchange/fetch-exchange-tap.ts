import { outsideContexts } from '../host/outside-contexts.ts';
import { guarded } from '../host/report-failure.ts';
import { isByteStream } from './is-byte-stream.ts';

/** What is told about a response body while the host reads it. Each method is called at the moment it happens; errors are caught. */
export interface BodyTap {
  /** The host asks for a chunk. */
  asked(): void;
  /** A chunk, before the host gets it. Its bytes belong to the tap's caller after the call. */
  chunk(value: unknown): void;
  /** The body came to its end. */
  ended(): void;
  /** Reading failed with this error. */
  failed(error: unknown): void;
  /** The host stopped reading. */
  cancelled(): void;
  /** Nobody can read the body any more: the host let go of it. */
  dropped(): void;
}

interface Dropped {
  readonly tap: BodyTap;
  /** Upstream holds it for as long as there is a connection to give back. */
  readonly reader: WeakRef<ReadableStreamDefaultReader<unknown>>;
}

/**
 * Bodies the host never read to their end. The held value never refers to the host's stream, or that stream could not be collected: upstream does,
 * by the contexts of the host in which it was asked for, where those hold the response.
 */
const droppedBodies = new FinalizationRegistry<Dropped>(({ tap, reader }) => {
  guarded('noticing an unread body', () => tap.dropped(), undefined);
  // What fetch itself does with a body nobody can read: the connection is given back.
  reader
    .deref()
    ?.cancel()
    .catch(() => undefined);
});

type TapController = ReadableStreamDefaultController<unknown> | ReadableByteStreamController;

/** Reads upstream only when the host reads, so that back-pressure and chunk boundaries are those of the wire. */
class TapSource {
  private readonly reader: ReadableStreamDefaultReader<unknown>;
  private readonly tap: BodyTap;
  private readonly copies: boolean;
  private reads = 0;

  constructor(reader: ReadableStreamDefaultReader<unknown>, tap: BodyTap, copies: boolean) {
    this.reader = reader;
    this.tap = tap;
    this.copies = copies;
  }

  /** Errors the host's stream when upstream fails between two reads, as an abort does. */
  start(controller: TapController): void {
    // Weak: upstream's own promise must not keep the host's stream alive, nor may the host's contexts, which can hold the response.
    const weakController = new WeakRef(controller);
    const failed = (error: unknown): void => {
      if (this.reads > 0) return;
      this.unwatch();
      guarded('recording a failed body', () => this.tap.failed(error), undefined);
      weakController.deref()?.error(error);
    };
    outsideContexts(() => this.reader.closed.catch(failed));
  }

  async pull(controller: TapController): Promise<void> {
    this.reads += 1;
    guarded('recording a read', () => this.tap.asked(), undefined);
    try {
      const { done, value } = await this.reader.read();
      if (done) return this.close(controller);
      guarded('recording a chunk', () => this.tap.chunk(value), undefined);
      // A byte stream takes the buffer of what it is given away from everybody else, so it gets one of its own.
      controller.enqueue(
        this.copies ? new Uint8Array(value as Uint8Array<ArrayBuffer>) : (value as Uint8Array<ArrayBuffer>),
      );
    } catch (error) {
      this.unwatch();
      guarded('recording a failed body', () => this.tap.failed(error), undefined);
      throw error;
    } finally {
      this.reads -= 1;
    }
  }

  /** Nobody can let go of the body any more: being watched would keep it, and the whole call, until a full garbage collection. */
  private unwatch(): void {
    droppedBodies.unregister(this);
  }

  private close(controller: TapController): void {
    this.unwatch();
    guarded('recording the end of a body', () => this.tap.ended(), undefined);
    controller.close();
    if ('byobRequest' in controller) controller.byobRequest?.respond(0);
  }

  cancel(reason: unknown): Promise<void> {
    this.unwatch();
    guarded('recording a cancelled body', () => this.tap.cancelled(), undefined);
    return this.reader.cancel(reason);
  }
}

function tapBody(body: ReadableStream<unknown>, tap: BodyTap): ReadableStream<unknown> {
  const copies = isByteStream(body);
  const reader = body.getReader();
  const source = new TapSource(reader, tap, copies);
  const hooks = {
    start: (controller: TapController) => source.start(controller),
    pull: (controller: TapController) => source.pull(controller),
    cancel: (reason: unknown) => source.cancel(reason),
  };
  const stream: ReadableStream<unknown> = copies
    ? new ReadableStream({ type: 'bytes', ...hooks }, { highWaterMark: 0 })
    : new ReadableStream<unknown>(hooks, { highWaterMark: 0 });
  droppedBodies.register(stream, { tap, reader: new WeakRef(reader) }, source);
  return stream;
}

/** Members of a response that its constructor cannot set and that code reads. */
export interface ResponseIdentity {
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string;
}

/** Gives a constructed response the members that only a fetched one has; clones keep them. */
export function withIdentity<Made extends Response>(response: Made, identity: ResponseIdentity): Made {
  const { clone } = response;
  const member = (value: unknown): PropertyDescriptor => ({ value, configurable: true, writable: true });
  return Object.defineProperties(response, {
    url: member(identity.url),
    redirected: member(identity.redirected),
    type: member(identity.type),
    clone: member(() => withIdentity(clone.call(response), identity)),
  });
}

/** Tries a foreign class with nothing in it, so that another constructor is found out before the body is taken. */
function isConstructible(ResponseClass: typeof Response, init: ResponseInit): boolean {
  try {
    return new ResponseClass(new ReadableStream(), init).status === init.status;
  } catch {
    return false;
  }
}

/**
 * The same response with a body that passes every chunk through untouched and tells `tap` about it. Undefined, with the
 * response still unread, where that cannot be done: no body, a body that is no web stream, a foreign response class.
 */
export function tapResponse(response: Response, tap: BodyTap): Response | undefined {
  const { body, url, redirected, type, status, statusText, headers } = response;
  if (!(body instanceof ReadableStream) || body.locked || response.bodyUsed) return undefined;
  const ResponseClass = response.constructor as typeof Response;
  if (ResponseClass !== Response && !isConstructible(ResponseClass, { status, statusText, headers })) return undefined;
  const tapped = new ResponseClass(tapBody(body, tap) as ReadableStream<Uint8Array<ArrayBuffer>>, {
    status,
    statusText,
    headers,
  });
  // The body is taken by now: whatever fails from here on, the host gets the response that has it.
  return guarded(
    'naming a tapped response',
    () => {
      Object.defineProperty(tapped, 'headers', { value: headers, configurable: true, enumerable: false });
      return withIdentity(tapped, { url, redirected, type });
    },
    tapped,
  );
}
