import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { type ErrorCode, ReenactError } from '@reenact/trace-model';
import { ANSWER_TIMEOUT_MS, RECORDING_CHUNK_BYTES, REPLAY_MESSAGE_BYTES_MAX } from '../limits.ts';
import type { EmptyAnswer, GatherPart, JoinPart, Participant } from './replay-messages.ts';
import { replayServiceDefinition as methods } from './replay-service-definition.ts';

/** One replay, and what proves that the caller has its key. */
export interface ReplayServiceAccess {
  readonly replayId: string;
  readonly proof: string;
}

/** What a service that takes part is told. */
export interface JoinEvents {
  /** All of the recording has arrived. */
  ready(order: string, recording: Buffer): void;
  /** Report everything now, and say so with this number. */
  flush(number: number, timeoutMs: number): void;
  /** It is over: ended, forgotten, or out of reach, and then with the error. Told once. */
  over(error: ReenactError | undefined): void;
}

/** Taking part in a replay, until it is left. */
export interface JoinedStream {
  leave(): void;
}

/** What was reported, in the order in which it came. */
export interface GatheredReports {
  readonly participants: readonly Participant[];
  /** Events, one JSON object per line. */
  readonly lines: Buffer;
}

const codes: Partial<Record<status, ErrorCode>> = {
  [status.NOT_FOUND]: 'not-found',
  [status.PERMISSION_DENIED]: 'replay-denied',
  [status.ALREADY_EXISTS]: 'replay-exists',
  [status.RESOURCE_EXHAUSTED]: 'too-large',
  [status.INVALID_ARGUMENT]: 'bad-request',
  [status.UNAVAILABLE]: 'collector-unreachable',
  [status.DEADLINE_EXCEEDED]: 'collector-unreachable',
  [status.UNAUTHENTICATED]: 'unauthenticated',
};

function nextOf(code: ErrorCode): string {
  switch (code) {
    case 'collector-unreachable':
      return 'Start a collector with `reenact collect`; REENACT_REPLAY_SERVICE names the address of its gRPC port.';
    case 'replay-denied':
      return 'Give the driver and every service the same replay key: REENACT_REPLAY_KEY_FILE.';
    case 'replay-exists':
    case 'not-found':
      return 'Start the replay again: each has an id of its own.';
    case 'too-large':
      return 'Try again when other replays have ended, or raise the limit in the configuration of the collector.';
    case 'unauthenticated':
    case 'access-denied':
      return 'Give REENACT_TOKEN a token of this collector with the scope "replay".';
    default:
      return 'Name the gRPC port of a Reenact collector of the same version in REENACT_REPLAY_SERVICE: grpcPort of its configuration, 4317 unless that says another; httpPort takes no replays.';
  }
}

/** What gRPC says of an answer that is none of gRPC, as that of the port of OTLP/HTTP: it speaks of frames and statuses that nobody asked about. */
const NO_GRPC = /RST_STREAM|HTTP status code|protocol error/i;

function messageOf(code: ErrorCode, { details }: ServiceError): string {
  if (code === 'collector-unreachable') return "Nothing answers at the replay service's address.";
  if (code === 'collector-refused' && NO_GRPC.test(details))
    return "What answers at the replay service's address speaks no gRPC.";
  return details;
}

function errorOf(thrown: ServiceError, address: string): ReenactError {
  // A caller without the scope and one without the key are both denied; only the trailer tells which it was.
  const isAccess = thrown.metadata?.get('reenact-error-code').includes('access-denied') === true;
  const code = isAccess ? 'access-denied' : (codes[thrown.code] ?? 'collector-refused');
  return new ReenactError(code, messageOf(code, thrown), {
    where: address,
    next: nextOf(code),
    retryable: code === 'collector-unreachable',
    cause: thrown,
  });
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += RECORDING_CHUNK_BYTES) {
    yield bytes.subarray(at, at + RECORDING_CHUNK_BYTES);
  }
}

function targetOf(address: string): { target: string; isEncrypted: boolean } {
  const url = URL.parse(address);
  if (url !== null && /^(https?|grpcs?):$/.test(url.protocol) && url.port !== '') {
    return { target: url.host, isEncrypted: /s:$/.test(url.protocol) };
  }
  throw new ReenactError('bad-argument', `"${address}" is not the address of a replay service.`, {
    where: address,
    next: 'Write it as http://127.0.0.1:4317: the gRPC port of the collector.',
  });
}

/**
 * Typed access to the replay service of a collector. Connects with the first call. Methods reject with ReenactError
 * `not-found`, `replay-denied`, `replay-exists`, `too-large`, `collector-unreachable` or `collector-refused`.
 */
export class ReplayServiceClient {
  private readonly address: string;
  private readonly client: Client;
  private readonly metadata: Metadata;

  /** `address`: `http://127.0.0.1:4317`; `token`: where the collector wants one. Throws ReenactError `bad-argument`. */
  constructor(address: string, token?: string) {
    this.address = address;
    this.metadata = new Metadata();
    if (token !== undefined && token !== '') this.metadata.set('authorization', `Bearer ${token}`);
    const { target, isEncrypted } = targetOf(address);
    this.client = new Client(target, isEncrypted ? credentials.createSsl() : credentials.createInsecure(), {
      'grpc.max_receive_message_length': REPLAY_MESSAGE_BYTES_MAX,
      'grpc.max_send_message_length': REPLAY_MESSAGE_BYTES_MAX,
    });
  }

  /** Hands a replay over. `order`: JSON for its services. */
  registerReplay(access: ReplayServiceAccess, order: string, recording: Uint8Array, lifeMs: number): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = methods.registerReplay;
    return new Promise((resolve, reject) => {
      const call = this.client.makeClientStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        this.metadata,
        this.deadline(),
        (error) => (error === null ? resolve() : reject(errorOf(error, this.address))),
      );
      // What is written after the collector has refused goes nowhere.
      call.on('error', () => undefined);
      call.write({ header: { ...access, order, lifeMs } });
      for (const recordingChunk of chunksOf(recording)) call.write({ recordingChunk });
      call.end();
    });
  }

  /** Takes part in a replay. Everything that comes of it is told to `events`. */
  joinReplay(access: ReplayServiceAccess, processId: string, service: string, events: JoinEvents): JoinedStream {
    const { path, requestSerialize, responseDeserialize } = methods.joinReplay;
    const request = { ...access, processId, service };
    const { metadata } = this;
    const call = this.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
    let order = '';
    const chunks: Uint8Array[] = [];
    let isOver = false;
    const over = (error: ReenactError | undefined): void => {
      if (!isOver) events.over(error);
      isOver = true;
    };
    call.on('data', (part: JoinPart) => {
      if (part.header !== undefined) order = part.header.order;
      else if (part.recordingChunk !== undefined) chunks.push(part.recordingChunk);
      else if (part.ready !== undefined) events.ready(order, Buffer.concat(chunks.splice(0)));
      else if (part.flush !== undefined) events.flush(part.flush.number, part.flush.timeoutMs);
    });
    call.on('error', (error: ServiceError) => over(errorOf(error, this.address)));
    call.on('end', () => over(undefined));
    return {
      leave: () => {
        isOver = true;
        call.cancel();
      },
    };
  }

  /** Reports events; `flush`: the one that is answered with this, 0 for none. */
  reportEvents(access: ReplayServiceAccess, processId: string, lines: Uint8Array, flush: number): Promise<void> {
    return this.unary(methods.reportEvents, { ...access, processId, lines, flush });
  }

  /** Asks every service to report, waits for that at most so long, and gives everything reported so far. */
  gatherReports(access: ReplayServiceAccess, timeoutMs: number): Promise<GatheredReports> {
    const { path, requestSerialize, responseDeserialize } = methods.gatherReports;
    const request = { ...access, timeoutMs };
    const options = this.deadline(timeoutMs);
    const call: ClientReadableStream<GatherPart> = this.client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      this.metadata,
      options,
    );
    const participants: Participant[] = [];
    const lines: Uint8Array[] = [];
    return new Promise((resolve, reject) => {
      call.on('data', (part: GatherPart) => {
        if (part.participant !== undefined) participants.push(part.participant);
        if (part.lines !== undefined) lines.push(part.lines);
      });
      call.on('error', (error: ServiceError) => reject(errorOf(error, this.address)));
      call.on('end', () => resolve({ participants, lines: Buffer.concat(lines) }));
    });
  }

  /** Ends a replay. */
  endReplay(access: ReplayServiceAccess): Promise<void> {
    return this.unary(methods.endReplay, access);
  }

  /** Lets go of the connection; calls under way fail. */
  close(): void {
    this.client.close();
  }

  private deadline(moreMs = 0): { deadline: number } {
    return { deadline: Date.now() + ANSWER_TIMEOUT_MS + moreMs };
  }

  private unary<Request>(method: MethodDefinition<Request, EmptyAnswer>, request: Request): Promise<void> {
    const { path, requestSerialize, responseDeserialize } = method;
    return new Promise((resolve, reject) => {
      const { client, metadata } = this;
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        this.deadline(),
        (error) => (error === null ? resolve() : reject(errorOf(error, this.address))),
      );
    });
  }
}
