import { createServer } from 'node:net';
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type ExportSignal, encodeExportResponse } from '@reenact/otlp';
import { markOwnServer, ReenactError, toReenactError } from '@reenact/trace-model';
import type { Authorizer } from '../../access/authorizer.ts';
import type { LiveTls } from '../../access/live-tls.ts';
import type { ConnectionLimit } from '../../connections/connection-limit.ts';
import { portHolderAdvice } from '../../connections/port-holder-advice.ts';
import type { RequestTimes } from '../../connections/stall-watch.ts';
import { PASSED_HEADER, readPassed } from '../../passed-collectors.ts';
import type { Refusals } from '../../refusals.ts';
import type { OfferedService } from '../../services/offered-service.ts';
import { SIGNAL_SERVICES } from '../../services/signal-services.ts';
import type { Admission } from '../admission.ts';
import type { Ingest } from '../ingest.ts';
import { Gatekeeper, type MethodRule } from './gatekeeper.ts';
import { type PreparedHttp2, prepareHttp2 } from './http2-server.ts';
import { LiveCredentials } from './live-credentials.ts';
import { statusOf } from './status.ts';

/** What the receiver needs. */
export interface OtlpGrpcReceiverOptions {
  readonly ingest: Ingest;
  readonly admission: Admission;
  readonly refusals: Refusals;
  readonly authorizer: Authorizer;
  /** Undefined where connections are not encrypted. */
  readonly tls: LiveTls | undefined;
  readonly requestBytesMax: number;
  readonly requestTimes: RequestTimes;
  /** How many connections there may be; any number where nothing is said. */
  readonly connectionLimit?: ConnectionLimit;
  readonly host: string;
  readonly port: number;
  readonly stopGraceMs: number;
  /** What else is served on this port. */
  readonly services?: readonly OfferedService[];
}

/** A listening receiver. */
export interface OtlpGrpcReceiver {
  readonly port: number;
  /** How many calls have begun and not ended. */
  readonly callsOpen: number;
  /** Finishes calls in flight and closes; waits `stopGraceMs` for them where nothing else is said. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Receives OTLP/gRPC. Requests stay bytes: no message is decoded on the way in. Throws ReenactError `port-taken` when
 * the port is in use.
 */
export async function startOtlpGrpcReceiver(options: OtlpGrpcReceiverOptions): Promise<OtlpGrpcReceiver> {
  const gatekeeper = new Gatekeeper(options, rulesOf(options));
  const server = new Server({
    interceptors: [gatekeeper.interceptor],
    'grpc.max_receive_message_length': options.requestBytesMax,
    'grpc.max_send_message_length': options.requestBytesMax,
    'grpc.so_reuseport': 0,
    // Nobody could read what it would count at every call.
    'grpc.enable_channelz': 0,
  });
  const onUnreadable = (error: ReenactError, peer: string | undefined) =>
    options.refusals.unreadable(error, 'grpc', peer);
  const http2 = prepareHttp2(server, onUnreadable, options.connectionLimit);
  markOwnServer(server);
  for (const { path, signal } of SIGNAL_SERVICES) {
    server.addService(describeService(path), {
      export: handleExport(options, gatekeeper, signal),
    } as UntypedServiceImplementation);
  }
  for (const { definition, implementation } of options.services ?? []) server.addService(definition, implementation);
  const port = await bind(server, options);
  return {
    port,
    get callsOpen() {
      return http2.callsOpen;
    },
    stop: (graceMs = options.stopGraceMs) => {
      http2.endSilent();
      return stop(server, http2, graceMs);
    },
  };
}

function describeService(path: string): ServiceDefinition {
  const keepBytes = (bytes: Buffer) => bytes;
  return {
    export: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: keepBytes,
      requestDeserialize: keepBytes,
      responseSerialize: keepBytes,
      responseDeserialize: keepBytes,
    },
  };
}

function rulesOf({ services = [] }: OtlpGrpcReceiverOptions): ReadonlyMap<string, MethodRule> {
  const rules = new Map<string, MethodRule>(SIGNAL_SERVICES.map(({ path }) => [path, { scope: 'ingest' }]));
  for (const { definition, ...rule } of services) {
    for (const { path } of Object.values(definition)) rules.set(path, rule);
  }
  return rules;
}

function handleExport(
  options: OtlpGrpcReceiverOptions,
  gatekeeper: Gatekeeper,
  signal: ExportSignal,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    takeExport(options, gatekeeper, signal, call).then(
      (response) => callback(null, response),
      (thrown: unknown) => {
        const error = toReenactError(thrown);
        options.refusals.refused(error, 'grpc', call.getPeer());
        callback(statusOf(error));
      },
    );
  };
}

async function takeExport(
  options: OtlpGrpcReceiverOptions,
  gatekeeper: Gatekeeper,
  signal: ExportSignal,
  { request: body, metadata }: ServerUnaryCall<Buffer, Buffer>,
): Promise<Buffer> {
  const { access, room } = gatekeeper.take(metadata);
  try {
    room.atLeast(body.length);
    const passed = readPassed(metadata.get(PASSED_HEADER)[0]?.toString());
    const request = { tenant: access.tenant, signal, format: 'protobuf', body, passed } as const;
    return Buffer.from(encodeExportResponse(await options.ingest(request)));
  } finally {
    room.release();
  }
}

async function bind(server: Server, { host, port, tls }: OtlpGrpcReceiverOptions): Promise<number> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  if (port !== 0) await probe(host, port, address);
  return new Promise((resolve, reject) => {
    const credentials = tls === undefined ? ServerCredentials.createInsecure() : new LiveCredentials(tls);
    server.bindAsync(address, credentials, (error, bound) => {
      if (error === null) return resolve(bound);
      server.forceShutdown();
      reject(toListenError(error, address));
    });
  });
}

/** grpc-js prints a line of its own about a port it cannot have, so that is found out before it tries. */
function probe(host: string, port: number, address: string): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, address)));
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

function toListenError(error: Error, address: string): ReenactError {
  if (error.message.includes('EADDRINUSE')) {
    return new ReenactError('port-taken', `The port for OTLP/gRPC is in use: ${address}.`, {
      where: address,
      next: `Choose another with --grpc-port (grpcPort); 0 picks a free one.${portHolderAdvice(address.slice(address.lastIndexOf(':') + 1))}`,
      cause: error,
    });
  }
  return new ReenactError('bad-config', `OTLP/gRPC cannot listen on ${address}: ${error.message}.`, {
    where: address,
    next: 'Give an address of this machine as host.',
    cause: error,
  });
}

function stop(server: Server, http2: PreparedHttp2, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      http2.endAll();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
