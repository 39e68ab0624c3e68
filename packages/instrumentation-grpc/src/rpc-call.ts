import type { Metadata } from '@grpc/grpc-js';
import {
  BodyTape,
  definedAttributes,
  type GateCall,
  type MessageNames,
  recordedHeaders,
} from '@reenact/instrumentation';
import { ATTR_RPC_METHOD, ATTR_RPC_SYSTEM_NAME, ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import {
  CANONICAL_POLICIES,
  type CaptureLevel,
  comparedHeaders,
  type ExchangeChunk,
  urlPlace,
} from '@reenact/trace-model';
import { REQUEST_BYTES_MAX } from './limits.ts';
import { metadataPairs } from './metadata-pairs.ts';
import { redactNamed } from './names/message-objects.ts';

/** What a call is about, as the canonical policies `rpc-request/2` and, inbound, `rpc-request/1` and `rpc-stream/1` read it. */
export interface RpcInput {
  /** `/<package>.<service>/<method>`. */
  readonly method: string;
  /** Outbound only: the channel's target. */
  readonly target?: string;
  /** Serialized, in the order they were sent; text where the bytes are text. Absent where they are not known at the look-up. */
  readonly messages?: readonly RpcMessage[];
  /** Inbound only, for people: the message as the handler gets it. Never compared. */
  readonly argument?: unknown;
  /** Outbound: what of it is compared. Inbound: what is sent again, credentials excepted, and not compared. */
  readonly metadata?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  /** Inbound only: when the caller would wait no longer, milliseconds since 1970. Absent where it waits for ever. Never compared. */
  readonly deadlineUnixMs?: number;
  /** Inbound streams only: when the caller ended its messages, microseconds after the call began. */
  readonly endedAfterUs?: number;
  /** Inbound streams only: the call was over before the caller had ended its messages. */
  readonly isOpen?: true;
}

/**
 * One serialized message, or the digest of all where they were too long to keep. `afterUs`: of inbound streams, when it came,
 * microseconds after the call began.
 */
export type RpcMessage =
  | { readonly text: string; readonly afterUs?: number }
  | { readonly base64: string; readonly afterUs?: number }
  | { readonly bytes: number; readonly sha256: string };

function messageOf([, data]: ExchangeChunk): RpcMessage {
  return typeof data === 'string' ? { text: data } : data;
}

function timedMessageOf(chunk: ExchangeChunk): RpcMessage {
  return { ...messageOf(chunk), afterUs: chunk[0] };
}

/** Messages as they pass by, as a crossing's input holds them: without their secrets. */
export class MessageTape {
  private readonly tape = new BodyTape(REQUEST_BYTES_MAX);
  private readonly withSecrets: number[] = [];
  private readonly names: MessageNames | undefined;
  private count = 0;

  /** `names`: the definition of the messages, where that is known. */
  constructor(names: MessageNames | undefined) {
    this.names = names;
  }

  /** One more message, `afterUs` microseconds after the call began. */
  keep(message: Uint8Array, afterUs: number): void {
    const kept = redactNamed(message, this.names);
    if (kept !== message) this.withSecrets.push(this.count);
    this.count += 1;
    this.tape.keep(kept, afterUs);
  }

  /** JSON pointers of the messages that had secrets, below the input they are in: their tokens stand in bytes. */
  get redacted(): readonly string[] {
    const numbers = this.isCut ? this.withSecrets.slice(0, 1).map(() => 0) : this.withSecrets;
    return numbers.map((number) => `/messages/${number}`);
  }

  /** Each with its time; empty where they were too long to keep. */
  get chunks(): readonly ExchangeChunk[] {
    return this.tape.chunks;
  }

  /** Whether they were too long to keep. */
  get isCut(): boolean {
    return this.tape.cut !== undefined;
  }

  /** All messages so far. */
  get messages(): readonly RpcMessage[] {
    const { cut, chunks } = this.tape;
    return cut === undefined ? chunks.map(messageOf) : [cut];
  }

  /** The same, each with when it came. */
  get timedMessages(): readonly RpcMessage[] {
    const { cut, chunks } = this.tape;
    return cut === undefined ? chunks.map(timedMessageOf) : [cut];
  }
}

/** `<package>.<service>/<method>`. */
export function methodName(path: string): string {
  return path.replace(/^\//, '');
}

/** Host and port a channel leads to, as far as its target says so; a Unix socket is this machine. */
export function targetUrl(target: string): URL | undefined {
  if (/^unix(-abstract)?:/.test(target)) return new URL('http://localhost/');
  const host = target.replace(/^(dns|ipv4|ipv6):(\/\/[^/]*\/)?/, '').split(',')[0] ?? '';
  const bracketed = /^[0-9a-f]*:[0-9a-f:]*:[0-9a-f]*$/i.test(host) ? `[${host}]` : host;
  return URL.canParse(`http://${bracketed}/`) ? new URL(`http://${bracketed}/`) : undefined;
}

/** The metadata of an outbound call as its input holds it; nothing where none of it is compared. */
export function comparedMetadata(metadata: Metadata | undefined): Pick<RpcInput, 'metadata'> {
  const compared = comparedHeaders(metadataPairs(metadata));
  return Object.keys(compared).length === 0 ? {} : { metadata: compared };
}

/** Describes an outbound call to the gate. Without messages: they are compared one by one, as they are sent. */
export function outboundCall(input: RpcInput & { readonly target: string }, capture: CaptureLevel): GateCall {
  const name = methodName(input.method);
  const url = targetUrl(input.target);
  return {
    boundary: { kind: 'rpc', name, effect: 'write', capture, policy: CANONICAL_POLICIES.rpcRequest },
    input,
    call: 'exchange',
    span: {
      name,
      kind: 'client',
      slim: definedAttributes({
        [ATTR_RPC_SYSTEM_NAME]: 'grpc',
        [ATTR_RPC_METHOD]: name,
        [ATTR_SERVER_ADDRESS]: url === undefined ? undefined : urlPlace(url).host,
        [ATTR_SERVER_PORT]: url === undefined || url.port === '' ? undefined : Number(url.port),
      }),
    },
  };
}

/** Metadata as an input holds it: without what belongs to one connection or one trace. */
export function keptMetadata(pairs: readonly (readonly [string, string])[]): [string, string][] {
  const dropped = /^(baggage|traceparent|tracestate|user-agent|grpc-accept-encoding|grpc-timeout|accept-encoding)$/;
  return recordedHeaders(pairs.filter(([name]) => !dropped.test(name)));
}
