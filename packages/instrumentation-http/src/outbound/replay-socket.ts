import { Duplex } from 'node:stream';
import { pristine } from '@reenact/instrumentation';

/**
 * Stands in for the connection of a request that a replay answers. Node's own client writes to it and parses what it is
 * given, so that everything above the socket is real. It is connected from the start, like one that is kept alive; it has no
 * peer: addresses are the loopback's, and a certificate cannot be asked for. Stacks name its class, and agents answer with stacks.
 */
class Socket extends Duplex {
  readonly connecting = false;
  readonly pending = false;
  readonly encrypted: boolean;
  readonly authorized: boolean;
  readonly remoteAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '127.0.0.1';
  readonly localFamily = 'IPv4';
  readonly remotePort: number;
  readonly localPort = 0;
  timeout: number | undefined;
  private isStalled = false;
  private timer: NodeJS.Timeout | undefined;
  private isHolding = true;

  constructor(options: { readonly encrypted: boolean; readonly port: number }) {
    // A real socket tells its close itself, when its handle has closed.
    super({ allowHalfOpen: false, emitClose: false });
    this.encrypted = options.encrypted;
    this.authorized = options.encrypted;
    this.remotePort = options.port;
  }

  get readyState(): 'open' | 'readOnly' | 'writeOnly' | 'closed' {
    const isReadable = this.readable && !this.destroyed;
    if (this.writable) return isReadable ? 'open' : 'writeOnly';
    return isReadable ? 'readOnly' : 'closed';
  }

  /** Tells who waits for the connection, as of one that was made for its request. Who looked first finds it open. */
  tellConnected(): void {
    pristine.setImmediate(() => {
      if (this.destroyed || this.isStalled) return;
      for (const event of this.encrypted ? ['connect', 'ready', 'secureConnect'] : ['connect', 'ready'])
        this.emit(event);
    });
  }

  /** Hands bytes to the client as one read of the wire. False where the client has closed the connection. */
  deliver(bytes: Uint8Array): boolean {
    if (this.destroyed || this.readableEnded) return false;
    this.startTimer();
    this.push(bytes);
    return true;
  }

  override _read(): void {
    // What there is to read is delivered when its time has come.
  }

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.startTimer();
    // Later, as on a real socket, so that a request which fails while it connects never counts as written.
    pristine.setImmediate(() => {
      if (!this.isStalled) done();
    });
  }

  /** From here on nothing that is written gets through: the connection is never made. */
  stall(): void {
    this.isStalled = true;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    globalThis.clearTimeout(this.timer);
    done(error);
    pristine.setImmediate(() => this.emit('close', error !== null));
  }

  /** As on a real socket: `timeout` is emitted after so long without traffic, and nothing else happens. */
  setTimeout(timeoutMs: number, listener?: () => void): this {
    this.timeout = timeoutMs;
    if (listener !== undefined) {
      if (timeoutMs === 0) this.removeListener('timeout', listener);
      else this.once('timeout', listener);
    }
    this.startTimer();
    return this;
  }

  private startTimer(): void {
    globalThis.clearTimeout(this.timer);
    if (this.timeout === undefined || this.timeout === 0 || this.destroyed) return;
    // The host's timer, not ours: where a replay makes time virtual, this is part of it.
    this.timer = globalThis.setTimeout(() => this.emit('timeout'), this.timeout);
    if (!this.isHolding) this.timer.unref();
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this.hold(true);
  }

  unref(): this {
    return this.hold(false);
  }

  /** A real socket holds its process up until it ends; of this one nothing does but its timer, which is to where the host wants it. */
  private hold(isHolding: boolean): this {
    this.isHolding = isHolding;
    if (isHolding) this.timer?.ref();
    else this.timer?.unref();
    return this;
  }

  address(): { readonly address: string; readonly family: string; readonly port: number } {
    return { address: this.localAddress, family: this.remoteFamily, port: this.localPort };
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }
}

export { Socket as ReplaySocket };
