import {
  guarded,
  heldAnswerDue,
  heldTelemetry,
  isOtlpExport,
  isTelemetryHost,
  telemetryHosts,
} from '@reenact/instrumentation';
import { urlPlace } from '@reenact/trace-model';
import { metadataOf } from '../metadata-pairs.ts';
import { targetUrl } from '../rpc-call.ts';
import type { MessageContext, MetadataClass, WireListener } from '../wire-call.ts';
import { LocalCall } from './local-call.ts';

/** Whether a call goes to a host that the user named as one of telemetry. Never throws. */
export function isNamedTelemetry(target: () => string): boolean {
  if (telemetryHosts.length === 0) return false;
  const url = guarded('reading a channel', () => targetUrl(target()), undefined);
  return url !== undefined && isTelemetryHost(url);
}

/** Whether a call exports over OTLP, or to a host that the user `isNamed` as one of telemetry, and is held back by the replay around it. Never throws. */
export function isHeldExport(path: unknown, target: () => string, isNamed = false): boolean {
  if (heldTelemetry.holds === undefined || typeof path !== 'string' || !(isNamed || isOtlpExport(path))) return false;
  const url = guarded('reading a channel', () => targetUrl(target()), undefined);
  if (url === undefined) return false;
  const port = url.port === '' ? 443 : Number(url.port);
  return heldTelemetry.holds({ name: 'grpc.request', host: urlPlace(url).host, port });
}

/** UNAVAILABLE */
const nobodyThere = 14;

/**
 * A call that is held back, and answered as one of which all was taken: with an empty message. One that is answered by a stream fails as
 * where nobody is there: what would be said in it cannot be known.
 */
export class TakenCall extends LocalCall {
  private readonly Metadata: MetadataClass;
  private listener: WireListener | undefined;
  private readonly isStream: boolean;
  private isOver = false;

  constructor(target: string, Metadata: MetadataClass, isStream: boolean) {
    super(target);
    this.Metadata = Metadata;
    this.isStream = isStream;
  }

  start(_metadata: unknown, listener: WireListener): void {
    this.listener = listener;
    if (this.isStream) this.answer(() => this.end(nobodyThere, 'Held back by a replay.'));
  }

  sendMessageWithContext({ callback }: MessageContext): void {
    if (callback !== undefined) process.nextTick(callback);
  }

  startRead(): void {
    // All comes once the request has ended.
  }

  halfClose(): void {
    this.answer(() => {
      if (this.isOver) return;
      this.listener?.onReceiveMetadata(metadataOf(this.Metadata, []));
      this.listener?.onReceiveMessage(Buffer.alloc(0));
      this.end(0, '');
    });
  }

  cancelWithStatus(code: number, details: string): void {
    process.nextTick(() => this.end(code, details));
  }

  /** What the caller's code throws there is uncaught, as ever. */
  private answer(tell: () => void): void {
    void heldAnswerDue().then(() => process.nextTick(tell));
  }

  private end(code: number, details: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.listener?.onReceiveStatus({ code, details, metadata: metadataOf(this.Metadata, []) });
  }
}
