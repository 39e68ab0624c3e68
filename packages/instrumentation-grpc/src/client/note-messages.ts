import { guarded, type MemberPatcher } from '@reenact/instrumentation';
import { messagesOfMethod } from '../names/learned-methods.ts';
import { type Deserialize, notingDeserialize, notingSerialize, type Serialize } from '../names/message-objects.ts';
import type { RpcSettings } from '../rpc-settings.ts';

/** How one method of a client makes bytes of messages and messages of bytes. */
interface MethodDefinition {
  readonly path: string;
  readonly requestSerialize: Serialize;
  readonly responseDeserialize: Deserialize;
}

/** What every call of a client passes before it is made; a module of its own in grpc-js, which is public in no version. */
type GetCall = (this: unknown, interceptors: unknown, method: MethodDefinition, ...rest: unknown[]) => unknown;

const memberName = 'getInterceptingCall';

/** CommonJS modules that the process has loaded, as ES modules load them, too. */
const { cache } = process.getBuiltinModule('node:module').createRequire(process.execPath);

function holderIn(grpc: object): object | undefined {
  const known: unknown = Reflect.get(grpc, 'InterceptingCall');
  const isHolder = (exports: unknown): exports is object => {
    if (typeof exports !== 'object' || exports === null || !Object.hasOwn(exports, memberName)) return false;
    return typeof Reflect.get(exports, memberName) === 'function' && Reflect.get(exports, 'InterceptingCall') === known;
  };
  if (typeof known !== 'function') return undefined;
  const exported = Object.values(cache).map((module): unknown => module?.exports);
  return exported.find((exports) => guarded('reading a module', () => isHolder(exports), false)) as object | undefined;
}

/** Methods of which it is noted what the messages that come are read into. */
const notedPaths = new Set<string>();

/** Whether messages that come by calls of a method may be noted as they are read: nobody else has to wait until they are. */
export function isNoted(path: string): boolean {
  return notedPaths.has(path);
}

/** The same method, noting the objects of messages that no definition names; itself where all are named. */
function notingMethod(method: MethodDefinition): MethodDefinition {
  const { request, response } = messagesOfMethod(method.path);
  if (request !== undefined && response !== undefined) return method;
  if (response === undefined) notedPaths.add(method.path);
  return {
    ...method,
    ...(request === undefined ? { requestSerialize: notingSerialize(method.requestSerialize) } : {}),
    ...(response === undefined ? { responseDeserialize: notingDeserialize(method.responseDeserialize) } : {}),
  };
}

/** Has the messages of clients of one loaded copy of grpc-js noted, where no definition says what their fields are called. */
export function noteMessages(grpc: object, members: MemberPatcher, settings: RpcSettings): () => void {
  const holder = holderIn(grpc);
  if (holder === undefined) return () => undefined;
  return members.patch<GetCall>(
    holder,
    memberName,
    (original) =>
      function getInterceptingCall(interceptors, method, ...rest) {
        const noting = settings.isActive() ? guarded('reading a method', () => notingMethod(method), method) : method;
        return Reflect.apply(original, this, [interceptors, noting, ...rest]);
      },
  );
}
