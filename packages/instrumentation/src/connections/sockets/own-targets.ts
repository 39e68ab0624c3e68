import type { Socket } from 'node:net';
import * as system from 'node:os';
import { processState } from '@reenact/trace-model';
import { WeakList } from '../../host/weak-list.ts';
import { OWN_TARGETS_MAX } from '../../limits.ts';
import { connectTarget } from './connect-target.ts';
import { LOOPBACK, plainAddress } from './plain-address.ts';

// Taken out of the module record, which recording rewrites.
const { networkInterfaces } = { ...system };

/** Where this process itself connects to, and sends datagrams. */
interface OwnTargets {
  readonly paths: Set<string>;
  /** `<port> <address>`, see `plainAddress`. */
  readonly addresses: Set<string>;
  /** Sockets that were given a name, by the port: to which address that led is known once they are connected. */
  readonly named: Map<number, WeakList<Socket>>;
}

const targets = processState(
  'own-targets.2',
  (): OwnTargets => ({ paths: new Set(), addresses: new Set(), named: new Map() }),
);

function addTo(places: Set<string>, place: string): void {
  if (places.size < OWN_TARGETS_MAX) places.add(place);
}

function addNamed(port: number, socket: Socket): void {
  const known = targets.named.get(port);
  if (known === undefined && targets.named.size >= OWN_TARGETS_MAX) return;
  const sockets = known ?? new WeakList<Socket>();
  targets.named.set(port, sockets);
  sockets.add(socket);
}

/** Notes where a socket of this process connects. `parameters`: of `net.Socket.prototype.connect`. */
export function noteOwnTarget(socket: Socket, parameters: readonly unknown[]): void {
  const target = connectTarget(parameters);
  if (target === undefined) return;
  if ('path' in target) {
    addTo(targets.paths, target.path);
    return;
  }
  const address = plainAddress(target.host);
  if (address === undefined) addNamed(target.port, socket);
  else addTo(targets.addresses, `${target.port} ${address}`);
}

/** The same of where a datagram goes. */
export function noteDatagramTarget({ host, port }: { readonly host: string; readonly port: number }): void {
  const address = plainAddress(host);
  if (address !== undefined) addTo(targets.addresses, `${port} ${address}`);
}

/** Whether this process connects to the path of a pipe or of a Unix socket: what comes to a server there may be its own, and comes again in a replay. */
export function isOwnPath(path: string): boolean {
  return targets.paths.has(path);
}

/** The same of a port of the machine: `address` is the one of its own that a connection came to. */
export function isOwnTarget(port: number, address: string): boolean {
  const plain = plainAddress(address);
  if (targets.addresses.has(`${port} ${plain}`)) return true;
  const named = targets.named.get(port)?.members() ?? [];
  return named.some(({ remoteAddress }) => remoteAddress !== undefined && plainAddress(remoteAddress) === plain);
}

function isOfMachine(plain: string): boolean {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return plain === LOOPBACK || all.some(({ address }) => plainAddress(address) === plain);
}

/** The same of a datagram, which says where it came from and not where it was sent: one of its own comes from the address that it went to. */
export function isOwnDatagram(port: number, from: string): boolean {
  const plain = plainAddress(from);
  return plain !== undefined && targets.addresses.has(`${port} ${plain}`) && isOfMachine(plain);
}
