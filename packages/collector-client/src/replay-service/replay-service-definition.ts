import { readFileSync } from 'node:fs';
import type { MethodDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import type {
  EmptyAnswer,
  EndRequest,
  GatherPart,
  GatherRequest,
  JoinPart,
  JoinRequest,
  RegisterPart,
  ReportRequest,
} from './replay-messages.ts';

const packageName = 'reenact.replay.v1';
const source = readFileSync(new URL('../../proto/replay.proto', import.meta.url), 'utf8');
const { root } = protobuf.parse(source, { keepCase: false });

interface Codec<Message> {
  encode(message: Message): Buffer;
  /** Throws where the bytes are no such message. */
  decode(bytes: Buffer): Message;
}

function codec<Message extends object>(name: string): Codec<Message> {
  const type = root.lookupType(`${packageName}.${name}`);
  return {
    encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    // Members of a oneof stay absent where they were not sent; everything else has its default.
    decode: (bytes) => type.toObject(type.decode(bytes), { longs: Number, defaults: true }) as Message,
  };
}

function method<Request extends object, Answer extends object>(
  name: string,
  streams: { readonly request: boolean; readonly response: boolean },
): MethodDefinition<Request, Answer> {
  const { requestType, responseType } = root.lookupService(`${packageName}.ReplayService`).methods[name] ?? {};
  const request = codec<Request>(requestType ?? name);
  const response = codec<Answer>(responseType ?? name);
  return {
    path: `/${packageName}.ReplayService/${name}`,
    requestStream: streams.request,
    responseStream: streams.response,
    requestSerialize: request.encode,
    requestDeserialize: request.decode,
    responseSerialize: response.encode,
    responseDeserialize: response.decode,
  };
}

/** The methods of the collector's replay service, as `proto/replay.proto` describes them. */
export const replayServiceDefinition = {
  registerReplay: method<RegisterPart, EmptyAnswer>('RegisterReplay', { request: true, response: false }),
  joinReplay: method<JoinRequest, JoinPart>('JoinReplay', { request: false, response: true }),
  reportEvents: method<ReportRequest, EmptyAnswer>('ReportEvents', { request: false, response: false }),
  gatherReports: method<GatherRequest, GatherPart>('GatherReports', { request: false, response: true }),
  endReplay: method<EndRequest, EmptyAnswer>('EndReplay', { request: false, response: false }),
} as const;
