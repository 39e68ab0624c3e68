import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { claimServer, guarded, MemberPatcher } from '@reenact/instrumentation';
import { isOwnServer } from '@reenact/trace-model';
import { learnService } from '../names/learned-methods.ts';
import { notingDeserialize } from '../names/message-objects.ts';
import type { RpcSettings } from '../rpc-settings.ts';
import type { ListeningRpcServer } from '../types.ts';
import { gatedHandler } from './gated-handler.ts';
import { answersJoinQuestion } from './join-question.ts';
import { rpcListening } from './rpc-listening.ts';
import type { Handler, HandlerType } from './server-call.ts';

type Register = (
  this: unknown,
  path: string,
  handler: Handler,
  serialize: unknown,
  deserialize: (bytes: Buffer) => unknown,
  type: HandlerType,
) => boolean;

type BindAsync = (
  this: object,
  address: string,
  credentials: unknown,
  callback: (error: Error | null, port: number) => void,
) => void;

const members = new MemberPatcher(Symbol.for('reenact.grpc.patched.1'));

const kinds: ReadonlySet<unknown> = new Set(['unary', 'serverStream', 'clientStream', 'bidi']);

function gatedRegister(original: Register, settings: RpcSettings): Register {
  return function register(path, handler, serialize, deserialize, type) {
    if (isOwnServer(this) || typeof handler !== 'function' || typeof deserialize !== 'function' || !kinds.has(type)) {
      return Reflect.apply(original, this, [path, handler, serialize, deserialize, type]);
    }
    const bytes = new WeakMap<object, Uint8Array>();
    const read = notingDeserialize(deserialize);
    const noted = (given: Buffer): unknown => {
      const message = read(given);
      if (typeof message === 'object' && message !== null) bytes.set(message, given);
      return message;
    };
    const bytesOf = (message: unknown): Uint8Array | undefined =>
      typeof message === 'object' && message !== null ? bytes.get(message) : undefined;
    const gated = gatedHandler(handler, { path, type, bytesOf, parse: deserialize }, settings);
    return Reflect.apply(original, this, [path, gated, serialize, noted, type]);
  };
}

function isSecure(credentials: unknown): boolean {
  const ask: unknown =
    typeof credentials === 'object' && credentials !== null ? Reflect.get(credentials, '_isSecure') : undefined;
  return typeof ask === 'function' && Reflect.apply(ask, credentials, []) === true;
}

function listeningAt(address: string, credentials: unknown, port: number): ListeningRpcServer {
  const protocol = isSecure(credentials) ? 'grpcs' : 'grpc';
  const socket = /^unix:(?:\/\/)?(.*)$/.exec(address)?.[1];
  const host = address
    .replace(/^(dns|ipv4|ipv6):(\/\/[^/]*\/)?/, '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  return socket === undefined ? { protocol, address: host, port } : { protocol, address: socket, port: undefined };
}

function gatedBind(original: BindAsync, settings: RpcSettings): BindAsync {
  return function bindAsync(address, credentials, callback) {
    const told: typeof callback = (error, port) => {
      const handle = (): void => callback(error, port);
      if (error !== null || !settings.isActive() || isOwnServer(this)) return handle();
      rpcListening.tell(this, () => listeningAt(address, credentials, port), handle);
    };
    const given = typeof callback === 'function' ? told : callback;
    return Reflect.apply(original, this, [address, credentials, given]);
  };
}

/** What a server does with each call before it looks for a handler: the stream and its headers, after other things in newer versions. */
type TakeStream = (this: unknown, ...given: unknown[]) => void;

/** One of the two exists for servers that are watched by channelz. Without them, a server is asked in vain, and no harm is done. */
const takingMembers = ['_streamHandler', '_channelzHandler'];

function isQuestion(given: readonly unknown[]): boolean {
  const [stream, headers] = Array.isArray(given[0]) ? given.slice(1) : given;
  return answersJoinQuestion(stream as ServerHttp2Stream, headers as IncomingHttpHeaders);
}

/** Before handlers and interceptors: the question is none of theirs, and needs no handler to be there. */
function gatedStream(original: TakeStream, settings: RpcSettings): TakeStream {
  return function takeStream(...given) {
    const isAsked = settings.isActive() && !isOwnServer(this);
    if (isAsked && guarded('answering for a replay', () => isQuestion(given), false)) return;
    Reflect.apply(original, this, given);
  };
}

type AddService = (this: unknown, service: unknown, ...rest: unknown[]) => unknown;

function learningAdd(original: AddService, settings: RpcSettings): AddService {
  return function addService(service, ...rest) {
    if (settings.isActive()) learnService(service);
    return Reflect.apply(original, this, [service, ...rest]);
  };
}

type SetUp = (this: unknown, server: unknown, ...rest: unknown[]) => unknown;

/** Where a server of the platform gets its listeners, before it listens. Where it is missing, calls are taken for HTTP/2 requests, too. */
const settingUpMember = '_setupHandlers';

/** The calls it carries are runs of this instrumentation, and not of the one that watches servers of the platform. */
function claimingSetUp(original: SetUp, settings: RpcSettings): SetUp {
  return function setUp(server, ...rest) {
    const claim = (): void => {
      if (settings.isActive() && typeof server === 'object' && server !== null) claimServer(server);
    };
    guarded('claiming a server', claim, undefined);
    return Reflect.apply(original, this, [server, ...rest]);
  };
}

/** Members that grpc-js does not promise are replaced only where they are there. */
function isMember(prototype: object, name: string): boolean {
  return typeof Reflect.get(prototype, name) === 'function';
}

/** Puts the gate before the methods that servers of one loaded copy of grpc-js get from now on. Returns how to undo it. */
export function patchServer(
  grpc: { readonly Server: { readonly prototype: object } },
  settings: RpcSettings,
): () => void {
  const { prototype } = grpc.Server;
  if (members.isPatched(Reflect.get(prototype, 'register'))) return () => undefined;
  const undos = [
    members.patch<Register>(prototype, 'register', (original) => gatedRegister(original, settings)),
    members.patch<AddService>(prototype, 'addService', (original) => learningAdd(original, settings)),
    members.patch<BindAsync>(prototype, 'bindAsync', (original) => gatedBind(original, settings)),
    ...[settingUpMember]
      .filter((name) => isMember(prototype, name))
      .map((name) => members.patch<SetUp>(prototype, name, (original) => claimingSetUp(original, settings))),
    ...takingMembers
      .filter((name) => isMember(prototype, name))
      .map((name) => members.patch<TakeStream>(prototype, name, (original) => gatedStream(original, settings))),
  ];
  return () => {
    for (const undo of undos.reverse()) undo();
  };
}
