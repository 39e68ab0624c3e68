import type { MethodDefinition } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

interface Codec<Message> {
  encode(message: Message): Buffer;
  /** Throws where the bytes are no such message. */
  decode(bytes: Buffer): Message;
}

function codec<Message extends object>(service: protobuf.Service, name: string): Codec<Message> {
  const type = service.lookupType(name);
  return {
    encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
    // Members of a oneof stay absent where they were not sent; everything else has its default.
    decode: (bytes) => type.toObject(type.decode(bytes), { longs: Number, defaults: true }) as Message,
  };
}

/** Gives methods of one service by their names; the types of their messages are the caller's to know. */
export type ProtoMethods = <Request extends object, Answer extends object>(
  name: string,
) => MethodDefinition<Request, Answer>;

/**
 * The methods of a service, by its full name, as the text of a `.proto` file without imports describes them. Messages are plain
 * objects with members in camelCase, numbers for enums, and numbers for 64-bit integers. Throws where there is no such service.
 */
export function protoMethods(source: string, serviceName: string): ProtoMethods {
  const service = protobuf.parse(source, { keepCase: false }).root.lookupService(serviceName);
  return <Request extends object, Answer extends object>(name: string): MethodDefinition<Request, Answer> => {
    const { requestType, responseType, requestStream = false, responseStream = false } = service.methods[name] ?? {};
    const request = codec<Request>(service, requestType ?? name);
    const response = codec<Answer>(service, responseType ?? name);
    return {
      path: `/${serviceName}/${name}`,
      requestStream,
      responseStream,
      requestSerialize: request.encode,
      requestDeserialize: request.decode,
      responseSerialize: response.encode,
      responseDeserialize: response.decode,
    };
  };
}
