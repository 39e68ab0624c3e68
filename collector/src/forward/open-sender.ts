import { readConfigured } from '../access/load-access.ts';
import type { CollectorLimits, Destination } from '../config.ts';
import type { Sender, SenderOptions, SenderTls } from './delivery.ts';
import { GrpcSender } from './grpc-sender.ts';
import { HttpSender } from './http-sender.ts';

/** Reads the TLS files of a destination. Throws ReenactError `bad-config`. */
export function readSenderTls({ name, tls = {} }: Destination): SenderTls {
  const read = (key: 'caFile' | 'certificateFile' | 'keyFile') => {
    const path = tls[key];
    return path === undefined ? undefined : readConfigured(`forward.${name}.tls.${key}`, path);
  };
  return { ca: read('caFile'), certificate: read('certificateFile'), key: read('keyFile') };
}

/** The sender of a destination. Throws ReenactError `bad-config` when its files cannot be read; connects to nothing yet. */
export function openSender(destination: Destination, limits: CollectorLimits): Sender {
  const { url, headers, protocol } = destination;
  const options: SenderOptions = { url, headers, tls: readSenderTls(destination), limits };
  return protocol === 'grpc' ? new GrpcSender(options) : new HttpSender(options);
}
