import type { CollectorLimits, Destination } from '../config.ts';
import type { Sender, SenderOptions } from './delivery.ts';
import { GrpcSender } from './grpc-sender.ts';
import { HttpSender } from './http-sender.ts';
import type { SenderAccess } from './sender-access.ts';

/** A sender to a destination, by what its files hold; connects to nothing yet. */
export function openSender(destination: Destination, access: SenderAccess, limits: CollectorLimits): Sender {
  const { url, protocol } = destination;
  const { token } = access;
  const headers = { ...destination.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const options: SenderOptions = { url, headers, access, limits };
  return protocol === 'grpc' ? new GrpcSender(options) : new HttpSender(options);
}
