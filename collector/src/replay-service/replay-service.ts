import {
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import {
  type EmptyAnswer,
  type EndRequest,
  type GatherPart,
  type GatherRequest,
  type JoinPart,
  type JoinRequest,
  type RegisterPart,
  type ReportRequest,
  replayServiceDefinition,
} from '@reenact/collector-client/replay-service';
import { describeError, type ErrorCode, ReenactError, toReenactError } from '@reenact/trace-model';
import type { Authorizer } from '../access/authorizer.ts';
import { credentialsIn } from '../access/credentials-of.ts';
import { type RequestTimes, watchStall } from '../connections/stall-watch.ts';
import type { OfferedService } from '../services/offered-service.ts';
import { untilDrained } from '../services/until-drained.ts';
import type { Registration, ReplayRegistry } from './replay-registry.ts';

/** The only place of this service that maps errors to gRPC codes. */
const codes: { readonly [code in ErrorCode]?: status } = {
  'bad-request': status.INVALID_ARGUMENT,
  'not-found': status.NOT_FOUND,
  'replay-denied': status.PERMISSION_DENIED,
  'replay-exists': status.ALREADY_EXISTS,
  'too-large': status.RESOURCE_EXHAUSTED,
  'store-busy': status.UNAVAILABLE,
};

function statusOf(thrown: unknown): Partial<ServiceError> {
  const error = toReenactError(thrown);
  return { code: codes[error.code] ?? status.INTERNAL, details: describeError(error).replaceAll('\n', ' ') };
}

/** What the replay service works with. */
export interface ReplayServiceOptions {
  readonly authorizer: Authorizer;
  /** How long a replay may take to be handed over: it has its place and bytes from its beginning. */
  readonly requestTimes: RequestTimes;
}

function registerReplay(
  registry: ReplayRegistry,
  { authorizer, requestTimes }: ReplayServiceOptions,
): handleClientStreamingCall<RegisterPart, EmptyAnswer> {
  return (call, callback) => {
    let registration: Registration | undefined;
    let isOver = false;
    const fail = (thrown: unknown): void => {
      if (isOver) return;
      isOver = true;
      stalls.stop();
      registration?.abandon();
      callback(statusOf(thrown));
    };
    const stalls = watchStall(requestTimes, fail);
    const attempt = (step: () => void): void => {
      if (isOver) return;
      stalls.moved();
      try {
        step();
      } catch (thrown) {
        fail(thrown);
      }
    };
    call.on('data', ({ header, recordingChunk }: RegisterPart) =>
      attempt(() => {
        if (header !== undefined && registration === undefined) {
          const { tenant } = authorizer.authorize(credentialsIn(call.metadata), 'replay');
          registration = registry.register({ ...header, tenant });
        } else if (recordingChunk !== undefined && registration !== undefined) registration.take(recordingChunk);
        else throw new ReenactError('bad-request', 'A registration is one header, then the recording.');
      }),
    );
    call.on('cancelled', () => fail(new ReenactError('bad-request', 'The driver went away.')));
    call.on('end', () =>
      attempt(() => {
        if (registration === undefined) throw new ReenactError('bad-request', 'The header is missing.');
        registration.complete();
        isOver = true;
        stalls.stop();
        callback(null, {});
      }),
    );
  };
}

/** Writes without piling up what the other side does not read. */
async function writeAll<Part>(call: ServerWritableStream<unknown, Part>, parts: Iterable<Part>): Promise<void> {
  for (const part of parts) {
    if (call.cancelled) return;
    if (!call.write(part)) await untilDrained(call);
  }
}

function joinReplay(registry: ReplayRegistry): handleServerStreamingCall<JoinRequest, JoinPart> {
  return (call) => {
    try {
      const { replay, leave } = registry.join(call.request, {
        flush: (number, timeoutMs) => void call.write({ flush: { number, timeoutMs } }),
        over: () => void call.end(),
      });
      call.on('cancelled', leave);
      const recording = replay.recording.map((recordingChunk) => ({ recordingChunk }));
      void writeAll(call, [{ header: { order: replay.order } }, ...recording, { ready: {} }]);
    } catch (thrown) {
      call.emit('error', statusOf(thrown));
    }
  };
}

function answering<Request>(answer: (request: Request) => void): handleUnaryCall<Request, EmptyAnswer> {
  return (call, callback) => {
    try {
      answer(call.request);
      callback(null, {});
    } catch (thrown) {
      callback(statusOf(thrown));
    }
  };
}

function gatherReports(registry: ReplayRegistry): handleServerStreamingCall<GatherRequest, GatherPart> {
  return (call) => {
    registry
      .gather(call.request, call.request.timeoutMs)
      .then((parts) => writeAll(call, parts))
      .then(
        () => void call.end(),
        (thrown: unknown) => call.emit('error', statusOf(thrown)),
      );
  };
}

/** The replay service as a gRPC server offers it: typed by `proto/replay.proto` of `@reenact/collector-client`. */
export function createReplayService(registry: ReplayRegistry, options: ReplayServiceOptions): OfferedService {
  return {
    definition: replayServiceDefinition,
    scope: 'replay',
    implementation: {
      registerReplay: registerReplay(registry, options),
      joinReplay: joinReplay(registry),
      reportEvents: answering<ReportRequest>((request) => registry.report(request)),
      gatherReports: gatherReports(registry),
      endReplay: answering<EndRequest>((request) => registry.end(request)),
    } as UntypedServiceImplementation,
  };
}
