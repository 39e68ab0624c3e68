import type { Socket } from 'node:dgram';

/** Where a datagram goes. The port is NaN where what was given is none, and the original says why. */
export interface DatagramTarget {
  readonly host: string;
  readonly port: number;
}

function localHost(socket: Socket): string {
  return 'type' in socket && socket.type === 'udp6' ? '::1' : '127.0.0.1';
}

function target(socket: Socket, port: unknown, address: unknown): DatagramTarget {
  return { host: typeof address === 'string' && address !== '' ? address : localHost(socket), port: Number(port) };
}

function connectedTo(socket: Socket): DatagramTarget | undefined {
  try {
    const { address, port } = socket.remoteAddress();
    return { host: address, port };
  } catch {
    return undefined;
  }
}

/** Of `send(data[, offset, length][, port][, address][, callback])`, without port and address on a connected socket. */
export function sendTarget(socket: Socket, parameters: readonly unknown[]): DatagramTarget {
  const peer = connectedTo(socket);
  if (peer !== undefined) return peer;
  const hasOffsets = typeof parameters[1] === 'number' && typeof parameters[2] === 'number';
  const [port, address] = parameters.slice(hasOffsets ? 3 : 1);
  return target(socket, port, address);
}

/** Of `connect(port[, address][, callback])` of a datagram socket. */
export function datagramConnectTarget(socket: Socket, [port, address]: readonly unknown[]): DatagramTarget {
  return target(socket, port, address);
}
