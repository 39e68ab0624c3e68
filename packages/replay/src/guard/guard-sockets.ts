import type { Socket } from 'node:net';
import { context as contexts } from '@opentelemetry/api';
import { connectTarget, isTelemetryTarget, type PatchSet, telemetryContext } from '@reenact/instrumentation';
import type { ReenactError } from '@reenact/trace-model';
import type { AddOnConnections } from './add-on-connections.ts';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';
import { watchOwnServers } from './own-servers.ts';

interface Destination {
  readonly host: string;
  readonly port: number;
}

const destinations = new WeakMap<object, Destination>();

interface InnerSocket {
  /** Set on what a server has accepted, null on others. */
  readonly server?: object | null;
  /** The name that was looked up to connect it. */
  readonly _host?: unknown;
}

function connectEffect(parameters: readonly unknown[]): AttemptedEffect | undefined {
  const target = connectTarget(parameters);
  if (target === undefined) return undefined;
  return 'path' in target
    ? { type: 'pipe', name: 'net.connect', path: target.path }
    : { type: 'host', name: 'net.connect', host: target.host, port: target.port };
}

/** A connection to a name that is not found, for the reason given: the socket fails in its own way. */
function leadingNowhere(error: Error): object {
  const lookup = (_host: string, _options: object, found: (error: Error) => void): void => found(error);
  return { host: 'reenact.invalid', port: 1, lookup };
}

/** How connecting to a pipe fails that is not there. */
function notThere(effect: AttemptedEffect | undefined): Error {
  const address = effect?.type === 'pipe' ? effect.path : '';
  return Object.assign(new Error(`connect ENOENT ${address}`), { code: 'ENOENT', syscall: 'connect', address });
}

function isTelemetry(effect: AttemptedEffect | undefined): effect is Destination & AttemptedEffect & { type: 'host' } {
  return effect?.type === 'host' && effect.port !== undefined && isTelemetryTarget(effect.host, effect.port);
}

/** The error to fail it with, as of `EffectJudge`: what goes to a host that is named as one of telemetry is judged as an exporter's. */
function refusalOf(judge: EffectJudge, effect: AttemptedEffect | undefined): ReenactError | undefined {
  const ask = (): ReenactError | undefined => judge.refusalOf(() => effect);
  const isAsked = judge.ownerCount > 0 && isTelemetry(effect);
  return isAsked ? contexts.with(telemetryContext(contexts.active()), ask) : ask();
}

/** How connecting fails where nobody listens. */
function nobodyThere(effect: AttemptedEffect | undefined): Error {
  const { host, port } = isTelemetry(effect) ? effect : { host: '', port: 0 };
  const message = `connect ECONNREFUSED ${host}:${port}`;
  return Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect', address: host, port });
}

/** Where a socket leads that this process connected; undefined for accepted ones, pipes and standard streams. */
function destinationOf(socket: Socket): Destination | undefined {
  const known = destinations.get(socket);
  if (known !== undefined) return known;
  const { server, _host } = socket as InnerSocket;
  if (typeof server === 'object' && server !== null) return undefined;
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { host: typeof _host === 'string' ? _host : remoteAddress, port: remotePort };
}

function guardConnecting(patches: PatchSet, judge: EffectJudge, addOns: AddOnConnections, prototype: object): void {
  patches.wrap(prototype, 'connect', ({ self, parameters, proceed }) => {
    const effect = connectEffect(parameters);
    if (judge.isMissing(() => effect)) return proceed([leadingNowhere(notThere(effect))]);
    const refusal = refusalOf(judge, effect);
    addOns.connections.claim(self as Socket);
    if (refusal !== undefined) return proceed([leadingNowhere(isTelemetry(effect) ? nobodyThere(effect) : refusal)]);
    if (effect?.type === 'host') destinations.set(self as Socket, { host: effect.host, port: effect.port ?? 0 });
    return proceed();
  });
}

/**
 * A connection that a live crossing opened stays open in a pool: what other code sends over it is an effect of its own. Where
 * the context was lost nobody can say whose it is, and opening the connection was allowed.
 */
function guardSending(patches: PatchSet, judge: EffectJudge, prototype: object): void {
  patches.wrap(prototype, '_writeGeneric', ({ self, parameters, proceed }) => {
    const socket = self as Socket;
    if (!judge.hasPosition() || socket.connecting) return proceed();
    const destination = destinationOf(socket);
    const effect: AttemptedEffect | undefined =
      destination === undefined ? undefined : { type: 'host', name: 'net.Socket.write', ...destination };
    const refusal = refusalOf(judge, effect);
    if (refusal === undefined) return proceed();
    const callback = parameters.at(-1);
    if (typeof callback === 'function') process.nextTick(callback, refusal);
    return false;
  });
}

/** Guards TCP, TLS and pipes, and with them all that is built on them: HTTP, WebSocket, undici, database drivers. */
export function guardSockets(patches: PatchSet, judge: EffectJudge, addOns: AddOnConnections): void {
  const net = process.getBuiltinModule('node:net');
  const tls = process.getBuiltinModule('node:tls');
  guardConnecting(patches, judge, addOns, net.Socket.prototype);
  guardSending(patches, judge, net.Socket.prototype);
  patches.wrap(tls, 'connect', ({ proceed }) => judge.naming('tls.connect', proceed));
  watchOwnServers(patches, net);
}
