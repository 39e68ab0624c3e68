import { guarded, heldTelemetry, isOtlpExport } from '@reenact/instrumentation';
import { metadataOf } from '../metadata-pairs.ts';
import { targetUrl } from '../rpc-call.ts';
import type { MessageContext, MetadataClass, WireListener } from '../wire-call.ts';
import { LocalCall } from './local-call.ts';

/** Whether a call exports over OTLP and is held back by the replay around it. Never throws. */
export function isHeldExport(path: unknown, target: () => string): boolean {
  if (heldTelemetry.holds === undefined || typeof path !== 'string' || !isOtlpExport(path)) return false;
  const url = guarded('reading a channel', () => targetUrl(target()), undefined);
  if (url === undefined) return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 443 : Number(url.port);
  return heldTelemetry.holds({ name: 'grpc.request', host, port });
}

/** A call that is held back, and answered as one of which all was taken: with an empty message. */
export class TakenCall extends LocalCall {
  private readonly Metadata: MetadataClass;
  private listener: WireListener | undefined;
  private isOver = false;

  constructor(target: string, Metadata: MetadataClass) {
    super(target);
    this.Metadata = Metadata;
  }

  start(_metadata: unknown, listener: WireListener): void {
    this.listener = listener;
  }

  sendMessageWithContext({ callback }: MessageContext): void {
    if (callback !== undefined) process.nextTick(callback);
  }

  startRead(): void {
    // All comes once the request has ended.
  }

  halfClose(): void {
    process.nextTick(() => {
      if (this.isOver) return;
      this.listener?.onReceiveMetadata(metadataOf(this.Metadata, []));
      this.listener?.onReceiveMessage(Buffer.alloc(0));
      this.end(0, '');
    });
  }

  cancelWithStatus(code: number, details: string): void {
    process.nextTick(() => this.end(code, details));
  }

  private end(code: number, details: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listener?.onReceiveStatus({ code, details, metadata: metadataOf(this.Metadata, []) });
  }
}
