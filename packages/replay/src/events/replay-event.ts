import { DIVERGENCE_KINDS, EDIT_POLICIES, ERROR_CODES, LOOK_UP_RUNGS } from '@reenact/trace-model';
import { z } from 'zod';

const sourceSchema = z.object({ file: z.string(), line: z.number(), column: z.number() });

/** A process has loaded the recording and answers from it. */
const joinedSchema = z.object({
  type: z.literal('joined'),
  process: z.enum(['dedicated', 'shared']),
});

/** A live call was answered, or refused. */
const metSchema = z.object({
  type: z.literal('met'),
  /** Unique in its process. */
  crossing: z.number(),
  path: z.string(),
  answer: z.enum(['stub', 'live', 'rerun', 'refused']),
  rung: z.enum(LOOK_UP_RUNGS).optional(),
  recordedSpanId: z.string().optional(),
  /** The live input was compared with a recorded one. */
  compared: z.boolean(),
  /** The plan changed what it is answered with, or its input. */
  edited: z.enum(EDIT_POLICIES).optional(),
  source: sourceSchema.optional(),
});

/** What a divergence and an edit have in common: a change of the situation from some moment on. */
const changeMembers = {
  /** The live call it belongs to, where there is one. */
  crossing: z.number().optional(),
  message: z.string(),
  path: z.string(),
  source: sourceSchema.optional(),
  candidate: z.object({ spanId: z.string(), path: z.string() }).optional(),
  ambiguous: z.boolean().optional(),
  difference: z
    .array(z.object({ path: z.string(), recorded: z.string().optional(), live: z.string().optional() }))
    .optional(),
  differenceTotal: z.number().optional(),
  next: z.string(),
  /** Changed live values of the input, or of the outcome: evidence for what caused what. */
  inputLeaves: z.array(z.string()).optional(),
  outcomeLeaves: z.array(z.string()).optional(),
  /** at-once: the agent knows now; on-settle: when the crossing hands over its outcome. */
  takesEffect: z.enum(['at-once', 'on-settle']),
  /** What is inside it is in the changed situation, too: its code runs on with a changed input, or ended early. */
  insideAtOnce: z.boolean(),
  /** Recorded time from which the agent was in a situation nobody recorded, microseconds since the run started. */
  recordedAtUs: z.number(),
};

/** One way in which the replay differed. Ids, causes and staleness are worked out when the report is built. */
const divergenceSchema = z.object({
  type: z.literal('divergence'),
  kind: z.enum(DIVERGENCE_KINDS),
  ...changeMembers,
  /** The call was made outside of every run, as one like it was when this was recorded: alone it says nothing of the run. */
  beside: z.boolean().optional(),
  /** Such a call was made by a timer that had been set before the run: it is no cause where the run differs. */
  byTimer: z.boolean().optional(),
  /** Of an effect: it could not be refused, and was found when it had happened. */
  happened: z.boolean().optional(),
  /** It tells all that was told of this call under the same kind before, and more: it takes that one's place. */
  replaces: z.boolean().optional(),
});

/** The plan changed a crossing on purpose. */
const editedSchema = z.object({ type: z.literal('edited'), policy: z.enum(EDIT_POLICIES), ...changeMembers });

/** An ignore rule of the plan named a field of an input that was compared; `rule` is its place in the plan. */
const ignoredSchema = z.object({ type: z.literal('ignored'), rule: z.number(), differs: z.boolean() });

/** A crossing with a divergence or an edit has handed its outcome, or the first part of it, to the agent. */
const settledSchema = z.object({ type: z.literal('settled'), crossing: z.number() });

/** The run itself ended. */
const outcomeSchema = z.object({
  type: z.literal('outcome'),
  path: z.string(),
  recorded: z.string().optional(),
  replayed: z.string(),
  /** Absent where the recorded outcome is not known. */
  equal: z.boolean().optional(),
});

/** The request that enters the run is to be sent now. */
const dueSchema = z.object({ type: z.literal('due') });

/** What the run went on to do after its end is over. */
const restedSchema = z.object({ type: z.literal('rested') });

/** A crossing that nothing encloses was handed to the exporter of the replay. */
const exportedSchema = z.object({
  type: z.literal('exported'),
  traceId: z.string(),
  /** It is the root of a fork. */
  isFork: z.boolean().optional(),
});

/** Spans that were to be exported reached nobody. */
const exportLostSchema = z.object({
  type: z.literal('export-lost'),
  spans: z.number(),
  /** The file that holds them; absent where none does. */
  keptIn: z.string().optional(),
});

/** A limit of the replay. */
const noteSchema = z.object({
  type: z.literal('note'),
  text: z.string(),
  /** The crossing that the text names, so that the report can say once what is true of many. */
  path: z.string().optional(),
  /** Something was served that could not be compared, so nothing is proven. */
  unverified: z.boolean(),
  /** Something was refused after the run, and is not compared: the program may fail for it. */
  afterRun: z.boolean().optional(),
  /** A call that was served had done more, when it was recorded, than to give its outcome. */
  undone: z.boolean().optional(),
  /** The run is that of a request, which was not answered: it waited for what did not come. */
  unanswered: z.boolean().optional(),
});

/** Telemetry of the program was held back. */
const telemetryHeldSchema = z.object({
  type: z.literal('telemetry-held'),
  /** Where it would have gone: a host with its port, the path of a socket. */
  target: z.string(),
  /** The flag that lets it out. */
  allow: z.string(),
});

/** Code of the run has started a process, whose number this is in the replay. */
const startedSchema = z.object({ type: z.literal('started'), number: z.number() });

/** The program of the replay listened to its standard input, which no recording holds. */
const inputReadSchema = z.object({ type: z.literal('input-read') });

/** A process could not join the replay and has stopped before any agent code ran. */
const failedSchema = z.object({
  type: z.literal('failed'),
  code: z.enum(ERROR_CODES),
  message: z.string(),
  where: z.string().optional(),
  next: z.string().optional(),
});

/** A process was found running real code beside the replay, and was stopped. */
const outsideSchema = z.object({ type: z.literal('outside'), command: z.string(), runtime: z.string().optional() });

/** Where in the user's code a crossing was called, for a debugger to stop there; line and column from 0. */
const calledFromSchema = z.object({
  type: z.literal('called-from'),
  spanId: z.string(),
  url: z.string(),
  line: z.number(),
  column: z.number(),
  ordinal: z.number(),
});

/** One thing a player reports, as it is written to a line of `report-<process id>.ndjson`. */
const replayEventSchema = z.discriminatedUnion('type', [
  joinedSchema,
  metSchema,
  divergenceSchema,
  editedSchema,
  ignoredSchema,
  exportedSchema,
  exportLostSchema,
  settledSchema,
  outcomeSchema,
  dueSchema,
  restedSchema,
  noteSchema,
  telemetryHeldSchema,
  inputReadSchema,
  startedSchema,
  failedSchema,
  outsideSchema,
  calledFromSchema,
]);

/** One thing a player reports. The union is closed. */
export type ReplayEvent = z.infer<typeof replayEventSchema>;

/** A live call was answered, or refused. */
export type MetEvent = Extract<ReplayEvent, { type: 'met' }>;

/** One way in which the replay differed. */
export type DivergenceEvent = Extract<ReplayEvent, { type: 'divergence' }>;

/** The plan changed a crossing on purpose. */
export type EditedEvent = Extract<ReplayEvent, { type: 'edited' }>;

/** An event with where and when it was reported. */
export interface StampedEvent {
  /** Process id of the reporting process, with the thread id where it was a worker thread. */
  readonly processId: string;
  /** Name of the service it belongs to, where it is told. */
  readonly service?: string | undefined;
  /** Span id of the root of the run it is of, where that is not the replayed one but one beside it. */
  readonly run?: string | undefined;
  /** Microseconds since the epoch, never running backwards within a process. */
  readonly atUs: number;
  readonly event: ReplayEvent;
}

/** The shape of one such line. */
export const stampedEventSchema = z.object({
  processId: z.string(),
  service: z.string().optional(),
  run: z.string().optional(),
  atUs: z.number(),
  event: replayEventSchema,
});
