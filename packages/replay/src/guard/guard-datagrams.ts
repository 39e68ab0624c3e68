import type { Socket } from 'node:dgram';
import { context as contexts } from '@opentelemetry/api';
import {
  type Behaviour,
  type DatagramTarget,
  datagramConnectTarget,
  guarded,
  isTelemetryTarget,
  type PatchSet,
  sendTarget,
  telemetryContext,
} from '@reenact/instrumentation';
import { isLoopback, type ReenactError } from '@reenact/trace-model';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';

/** Undefined on loopback, where only this machine can send: listening there is allowed. */
function bindEffect(name: string, [first, second]: readonly unknown[]): AttemptedEffect | undefined {
  const options: Record<string, unknown> =
    typeof first === 'object' && first !== null ? { ...first } : { port: first, address: second };
  const { address, port } = options;
  const host = typeof address === 'string' && address !== '' ? address : '0.0.0.0';
  return isLoopback(host) ? undefined : { type: 'host', name, host, port: Number(port ?? 0) || 0 };
}

/** Tells of an error as a datagram socket does: to the callback, else as the event `error`. */
function tell(socket: Socket, error: ReenactError, parameters: readonly unknown[]): void {
  const callback = parameters.at(-1);
  if (typeof callback === 'function') callback(error);
  else socket.emit('error', error);
}

function fail(socket: Socket, error: ReenactError, parameters: readonly unknown[]): void {
  process.nextTick(() => tell(socket, error, parameters));
}

/** As `fail`, of a datagram: one that could not be sent, and that nobody asks after, is lost without a word in Node.js, too. */
function lose(socket: Socket, error: ReenactError, parameters: readonly unknown[]): void {
  const isAskedAfter = typeof parameters.at(-1) === 'function';
  process.nextTick(() => {
    if (isAskedAfter || socket.listenerCount('error') > 0) tell(socket, error, parameters);
  });
}

function bytesOf([message, offset, length]: readonly unknown[]): number {
  if (typeof offset === 'number' && typeof length === 'number') return length;
  const parts: readonly unknown[] = Array.isArray(message) ? message : [message];
  return parts.reduce((bytes: number, part) => bytes + Buffer.byteLength(part as string | NodeJS.ArrayBufferView), 0);
}

/** Sends nothing where it goes to a host that is named as one of telemetry, and that is held back: it ends as one that was sent. */
function sendingTelemetry(judge: EffectJudge, name: string, send: Behaviour): Behaviour {
  return (call) => {
    const { self, parameters } = call;
    const target = guarded('reading where a datagram goes', () => sendTarget(self as Socket, parameters), undefined);
    if (judge.ownerCount === 0 || target === undefined || !isTelemetryTarget(target.host, target.port))
      return send(call);
    const active = contexts.active();
    const asTelemetry = telemetryContext(active);
    const callback = parameters.at(-1);
    const isAskedAfter = typeof callback === 'function';
    if (!contexts.with(asTelemetry, () => judge.holds({ name, ...target }))) {
      // Whoever is told of it goes on as the agent, and not as who sends telemetry.
      const told = isAskedAfter ? [...parameters.slice(0, -1), contexts.bind(active, callback)] : parameters;
      const proceed = (given: unknown[] = told): unknown => call.proceed(given);
      return contexts.with(asTelemetry, () => send({ self, parameters: told, proceed }));
    }
    const bytes = guarded('measuring a datagram', () => bytesOf(parameters), 0);
    if (isAskedAfter) process.nextTick(callback, null, bytes);
    return undefined;
  };
}

function throwAtOnce(_socket: Socket, error: ReenactError): never {
  throw error;
}

/** Guards `node:dgram`: sending and connecting, and listening beyond loopback. */
export function guardDatagrams(patches: PatchSet, judge: EffectJudge): void {
  const { prototype } = process.getBuiltinModule('node:dgram').Socket;
  let isSending = false;
  const sending = (
    name: string,
    targetOf: (socket: Socket, parameters: readonly unknown[]) => DatagramTarget,
    refuse: typeof fail,
  ): Behaviour => {
    return ({ self, parameters, proceed }) => {
      const socket = self as Socket;
      const refusal = judge.refusalOf(() => ({ type: 'host', name, ...targetOf(socket, parameters) }));
      if (refusal !== undefined) return refuse(socket, refusal, parameters);
      // A socket that was not bound binds itself before it sends.
      const before = isSending;
      isSending = true;
      try {
        return proceed();
      } finally {
        isSending = before;
      }
    };
  };
  for (const key of ['send', 'sendto'] as const) {
    const name = `dgram.Socket.${key}`;
    patches.wrap(prototype, key, sendingTelemetry(judge, name, sending(name, sendTarget, lose)));
  }
  patches.wrap(prototype, 'connect', sending('dgram.Socket.connect', datagramConnectTarget, fail));
  patches.wrap(prototype, 'connectSync', sending('dgram.Socket.connectSync', datagramConnectTarget, throwAtOnce));
  for (const key of ['bind', 'bindSync']) {
    patches.wrap(prototype, key, ({ self, parameters, proceed }) => {
      const refusal = isSending ? undefined : judge.refusalOf(() => bindEffect(`dgram.Socket.${key}`, parameters));
      if (refusal === undefined) return proceed();
      if (key === 'bindSync') throw refusal;
      // The callback of `bind` listens for success only.
      fail(self as Socket, refusal, []);
      return self;
    });
  }
}
