export { type ProtoMethods, protoMethods } from './proto-methods.ts';
export type {
  EmptyAnswer,
  EndRequest,
  GatherPart,
  GatherRequest,
  JoinPart,
  JoinRequest,
  Participant,
  RegisterHeader,
  RegisterPart,
  ReportRequest,
} from './replay-messages.ts';
export {
  type GatheredReports,
  type JoinEvents,
  type JoinedStream,
  type ReplayServiceAccess,
  ReplayServiceClient,
} from './replay-service-client.ts';
export { REPLAY_PROTO_FILE, replayServiceDefinition } from './replay-service-definition.ts';
