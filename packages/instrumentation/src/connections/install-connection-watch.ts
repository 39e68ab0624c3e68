import { channel } from 'node:diagnostics_channel';
import { tmpdir } from 'node:os';
import { guarded } from '../host/report-failure.ts';
import { inputTape } from '../input/input-tape.ts';
import { watchInput } from '../input/watch-input.ts';
import { PatchSet } from '../patching/patch-set.ts';
import { isTelemetryTarget } from '../propagation/telemetry-hosts.ts';
import { beforeRun } from '../run/before-run.ts';
import type { UnseenConnection } from '../run/unseen-connections.ts';
import type { Callee } from '../source-line.ts';
import { watchDatabases } from './databases/watch-databases.ts';
import { watchDumps } from './files/watch-dumps.ts';
import { watchFiles } from './files/watch-files.ts';
import { watchAddOns } from './native/watch-add-ons.ts';
import { type ConnectTarget, connectTarget } from './sockets/connect-target.ts';
import { isRecordedWebSocket } from './sockets/recorded-web-sockets.ts';
import { watchArrivals } from './sockets/watch-arrivals.ts';
import { watchDatagrams } from './sockets/watch-datagrams.ts';
import { watchNames } from './sockets/watch-names.ts';
import { watchSockets } from './sockets/watch-sockets.ts';
import { watchThreads } from './threads/watch-threads.ts';
import { isToolPipe } from './tool-pipe.ts';
import { connectingCode } from './unseen/connecting-code.ts';
import { connectionsOfRun } from './unseen/process-connections.ts';
import { recordConnection } from './unseen/record-connection.ts';
import { watchPrograms } from './watch-programs.ts';

function placeOf(target: ConnectTarget): string {
  return 'path' in target ? target.path : `${target.host}:${target.port}`;
}

function unseenConnection(parameters: readonly unknown[], callee: Callee): UnseenConnection | undefined {
  const target = connectTarget(parameters);
  if (target !== undefined && 'host' in target && isTelemetryTarget(target.host, target.port)) return undefined;
  const code = target === undefined ? undefined : connectingCode(callee);
  if (target === undefined || code?.type !== 'code') return undefined;
  if ('path' in target && isToolPipe(target.path, tmpdir())) return undefined;
  return { place: placeOf(target), package: code.package };
}

/**
 * A WebSocket goes through the connections of `fetch`, and is recorded by whoever gates those. Where nobody does it is told when it opens: who
 * listens to the channel of undici's requests takes it on to tell them the trace context.
 */
function watchWebSockets(): () => void {
  const opened = channel('undici:websocket:open');
  const seen = (message: unknown): void => {
    const { address, websocket } = message as { readonly address?: unknown; readonly websocket?: WebSocket };
    if (guarded('telling a WebSocket', () => isRecordedWebSocket(address), false)) return;
    // Before version 7 nothing says which one it is.
    const place = (): string => (websocket === undefined ? 'a WebSocket' : new URL(websocket.url).host);
    recordConnection(() => ({ place: place(), package: undefined }));
  };
  opened.subscribe(seen);
  return () => {
    opened.unsubscribe(seen);
  };
}

let installations = 0;
let undo: (() => void) | undefined;

/**
 * Notes, from now on, which connections agents of this process open, or use, that no instrumentation covers (DESIGN section 6, "guard"), where
 * they send datagrams, what they ask name servers, what programs and threads they start, what files they change and what they open by native add-ons: what comes back is in no recording, which is marked for it. Install it beside an instrumentation of HTTP, whose connections count as
 * covered. Returns how to undo it. Never throws.
 */
export function installConnectionWatch(): () => void {
  installations += 1;
  undo ??= guarded('watching connections', install, undefined);
  let isInstalled = true;
  return () => {
    if (!isInstalled) return;
    isInstalled = false;
    installations -= 1;
    if (installations > 0) return;
    undo?.();
    undo = undefined;
  };
}

function install(): () => void {
  beforeRun.connections = connectionsOfRun;
  beforeRun.begins = (run) => inputTape.begins(run);
  const patches = new PatchSet();
  watchSockets(patches, unseenConnection);
  watchArrivals(patches);
  watchInput(patches, { isRecorded: process.env.REENACT_RECORD_DRAWS !== '0', tape: inputTape });
  watchDatagrams(patches);
  watchNames(patches);
  const unwatchPrograms = watchPrograms(patches);
  watchThreads(patches);
  watchDatabases(patches);
  watchDumps(patches);
  // Shows all of them to ES modules.
  watchFiles(patches);
  const unwatchSockets = watchWebSockets();
  const unwatchAddOns = watchAddOns(patches);
  return () => {
    delete beforeRun.connections;
    delete beforeRun.begins;
    unwatchPrograms();
    unwatchSockets();
    unwatchAddOns();
    patches.restore();
  };
}
