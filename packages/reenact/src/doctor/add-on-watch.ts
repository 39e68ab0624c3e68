import { isMainThread } from 'node:worker_threads';
import {
  disguised,
  duringLoad,
  guarded,
  NativeConnections,
  nativeLibraryOf,
  PatchSet,
  type PlatformFunction,
  trapLog,
} from '@reenact/instrumentation';

type WorkerClass = new (...parameters: unknown[]) => object;

function told(place: { readonly host: string; readonly port: number }): string {
  return place.host.includes(':') ? `[${place.host}]:${place.port}` : `${place.host}:${place.port}`;
}

function install(): void {
  const connections = new NativeConnections();
  const loaded = new Set<string>();
  const patches = new PatchSet();
  const report = (found: ReturnType<NativeConnections['look']>): void => {
    for (const place of found) trapLog.report('native-connection', `${told(place)}, one of ${[...loaded].join(', ')}`);
  };
  patches.replace<PlatformFunction>(process.getBuiltinModule('node:net').Socket.prototype, 'connect', (original) => {
    const connect: PlatformFunction = function (this: unknown, ...parameters) {
      connections.claim(this as object);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(connect, original);
  });
  let hasThreads = false;
  patches.replace<WorkerClass>(process.getBuiltinModule('node:worker_threads'), 'Worker', (original) => {
    const construct = (target: WorkerClass, parameters: unknown[], made: NewableFunction): object => {
      hasThreads = true;
      connections.unwatch();
      return Reflect.construct(target, parameters, made) as object;
    };
    return new Proxy(original, { construct });
  });
  patches.wrap(process, 'dlopen', ({ parameters, proceed }) =>
    duringLoad(() => {
      if (!connections.isWatching) connections.settle();
      const result = proceed();
      const [module, path] = parameters;
      const isKnown = nativeLibraryOf((module as { readonly exports?: unknown }).exports) !== undefined;
      if (isKnown || hasThreads) return result;
      loaded.add(String(path));
      connections.watch(report);
      return result;
    }),
  );
  patches.publish();
}

/**
 * Tells from now on of each TCP connection that a native add-on opens which nobody knows. Only on Linux; in an app with worker threads, whose
 * sockets look the same, of those before the first of them. Never throws.
 */
export function watchAddOnConnections(): void {
  if (process.platform === 'linux' && isMainThread) guarded('watching native add-ons', install, undefined);
}
