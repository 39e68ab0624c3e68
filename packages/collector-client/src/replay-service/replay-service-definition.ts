import { readFileSync } from 'node:fs';
import { protoMethods } from './proto-methods.ts';
import type {
  EmptyAnswer,
  EndRequest,
  GatherPart,
  GatherRequest,
  JoinPart,
  JoinRequest,
  RegisterPart,
  ReportRequest,
} from './replay-messages.ts';

/** Where the replay service is described. */
export const REPLAY_PROTO_FILE = new URL('../../proto/replay.proto', import.meta.url);

const method = protoMethods(readFileSync(REPLAY_PROTO_FILE, 'utf8'), 'reenact.replay.v1.ReplayService');

/** The methods of the collector's replay service, as `proto/replay.proto` describes them. */
export const replayServiceDefinition = {
  registerReplay: method<RegisterPart, EmptyAnswer>('RegisterReplay'),
  joinReplay: method<JoinRequest, JoinPart>('JoinReplay'),
  reportEvents: method<ReportRequest, EmptyAnswer>('ReportEvents'),
  gatherReports: method<GatherRequest, GatherPart>('GatherReports'),
  endReplay: method<EndRequest, EmptyAnswer>('EndReplay'),
} as const;
