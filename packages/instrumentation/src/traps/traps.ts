/** How bad a trap is. problem: something is not recorded, or lost. note: the recording is whole, something beside it is not. */
export type TrapSeverity = 'problem' | 'note';

/** What one kind of trap is, for people. */
export interface TrapDescription {
  readonly severity: TrapSeverity;
  /** One sentence: what was found. */
  readonly what: string;
  /** One or two sentences: what it costs. */
  readonly why: string;
  /** One or two sentences: what to do. */
  readonly fix: string;
}

/** What `npm dedupe` cannot do where packages ask for different versions; npm refuses an override by a version of what the app asks for itself. */
const KEEP_ONE =
  'Keep one version: `npm dedupe` (`pnpm dedupe`, `yarn dedupe`). Where packages ask for different ones, which `npm ls @opentelemetry/api @opentelemetry/api-logs` shows, have the package among your own dependencies and give package.json "overrides": { "@opentelemetry/api": "$@opentelemetry/api" }, or the same for @opentelemetry/api-logs.';

/**
 * Everything that can make a recording, or what stands beside it, incomplete without anybody noticing. The closed list;
 * docs/doctor.md is compared with it.
 */
export const TRAPS = {
  'api-copies': {
    severity: 'note',
    what: 'More than one copy of an OpenTelemetry API package is loaded.',
    why: 'These find each other, so nothing is lost now. As soon as a copy of @opentelemetry/api is newer than the one that came first, spans vanish without a word. An SDK that the app registers through another copy than ours after its first recorded call gets no spans.',
    fix: KEEP_ONE,
  },
  'api-versions': {
    severity: 'problem',
    what: 'Copies of an OpenTelemetry API package are loaded that do not go together.',
    why: 'What is emitted through a newer copy than the one that came first, which is ours with the hook, reaches nobody: no span, no log event, no context, and no error. What an SDK sets up through a copy of any other version is refused.',
    fix: KEEP_ONE,
  },
  'collector-away': {
    severity: 'problem',
    what: 'Nothing takes recorded spans.',
    why: 'With the hook, or with `spool: true`, they wait on the disk. Else they wait in the process until its memory for them is full, and are lost with it.',
    fix: 'Start `reenact collect`, or set OTEL_EXPORTER_OTLP_ENDPOINT to where one runs, and OTEL_EXPORTER_OTLP_HEADERS to its token where it wants one.',
  },
  'early-request': {
    severity: 'problem',
    what: 'A request was sent by code that had taken `request` or `get` of node:http out before they were patched, or made a ClientRequest itself.',
    why: 'The answer is missing from the recording, so that the run it was sent in is partial. A replay refuses the request.',
    fix: 'Load reenact, or the file that sets it up, before the code that sends: `node --import …`. Instead of `new ClientRequest` call `http.request`, or wrap the call: tool(…).',
  },
  'late-provider': {
    severity: 'note',
    what: 'The app registered its tracer provider after its first call had been recorded.',
    why: 'It is in place now, but spans before it did not reach its exporters, and libraries that took a tracer earlier keep the old one.',
    fix: 'Start the OpenTelemetry SDK before the rest of the app: `node --import ./telemetry.mjs app.mjs`.',
  },
  'library-preloaded': {
    severity: 'problem',
    what: 'A library was loaded before it could be patched, and by nobody since.',
    why: 'Its calls are not recorded as what they are, and run for real in a replay unless the HTTP below them is covered.',
    fix: 'Load reenact first: put `--import reenact/register` before every other --import. Where a --require loads the library, put `-r reenact/register` before that: Node.js requires before it imports.',
  },
  'library-version': {
    severity: 'note',
    what: 'A library is loaded in a version that is not patched.',
    why: 'Its calls are not recorded as what they are. The HTTP below them is, unless the library is undici itself; what nothing covers is refused in a replay.',
    fix: 'Use a version that is patched, or wrap what calls it: tool(…), boundary(…).',
  },
  'limits-set': {
    severity: 'note',
    what: 'The environment sets limits on spans.',
    why: "The recording does not pass through them. The app's own exporters get attributes that are cut or left out.",
    fix: 'Unset the variable where the other backend should see whole attributes.',
  },
  'lost-context': {
    severity: 'note',
    what: 'A call was made outside of every run while a run was going on.',
    why: 'It is recorded beside that run. Where it was a part of it, the recording of the run lacks it, and its replay refuses the call or gives it the answer of another one.',
    fix: 'Keep the context of what a queue, a pool or an emitter calls that was made before the run: AsyncResource.bind, or context.bind of OpenTelemetry.',
  },
  'native-connection': {
    severity: 'note',
    what: 'A native add-on opened a connection by itself.',
    why: 'What comes back over it is recorded only where a boundary encloses the call. In a replay it is found when it is there, so that something has been done for real; the process is ended then.',
    fix: 'Wrap what uses the add-on: tool(…), boundary(…).',
  },
  'no-agent': {
    severity: 'note',
    what: 'A call was made that no agent() and no request encloses, and that the run of the process does not take in.',
    why: 'It is recorded as a run of its own, and replays. What the program read from the clock or drew at random to make it is in no recording: where the call depends on that, its replay differs.',
    fix: 'Put agent(…) around the code that makes the calls. With `--import reenact/register` and no span of the app around them, they are one run without it.',
  },
  'no-contexts': {
    severity: 'problem',
    what: "OpenTelemetry's contexts do not reach the code of this process.",
    why: 'Each call is recorded as one that no run encloses, beside the run it belongs to, and so is what the run draws from the clock or at random: such runs are partial.',
    fix: `${KEEP_ONE} Beside another version than its own, an SDK that sets OpenTelemetry up may take away what was there. Of Sentry's, Sentry.init({ enableOpenTelemetrySetup: false }) leaves it alone. An app that sets OpenTelemetry up by itself registers a context manager.`,
  },
  'no-spool': {
    severity: 'problem',
    what: 'Recordings cannot be written to the disk until the collector has them.',
    why: 'Recording goes on without the flight recorder: what the collector does not have yet is lost when the process is killed, and where the collector is away for longer than memory lasts.',
    fix: 'Set REENACT_SPOOL_DIR to a folder with room that this user owns and the process may write to. Where there is none, REENACT_SPOOL=off says that it is meant so.',
  },
  'old-runtime': {
    severity: 'problem',
    what: 'This is no Node.js that recording stands on: an older one, Bun or Deno.',
    why: 'Hooks that patch libraries and SQLite are missing or different there, so calls can go unrecorded.',
    fix: 'Use Node.js 22.19 or newer.',
  },
  'plain-model-call': {
    severity: 'note',
    what: 'A model is called over plain HTTP, by a client that no instrumentation covers.',
    why: 'The call is recorded and replays, with its model and tokens, but an edit or `--live model:…` does not know it as a model call, and its messages are shown as bodies.',
    fix: 'Nothing has to be done. Where it is to be a model call, wrap it: boundary("model", …).',
  },
  'recording-off': {
    severity: 'problem',
    what: 'Recording is switched off by the environment.',
    why: 'Nothing is recorded.',
    fix: 'Unset the variable.',
  },
  'sampler-drops': {
    severity: 'note',
    what: "The app's sampler drops spans.",
    why: 'The recording is whole all the same. The other backends show gaps, and links from them to the recording are missing.',
    fix: 'Use parentbased_always_on for services that run agents, where the other backends can bear it.',
  },
  'second-genai-spans': {
    severity: 'note',
    what: 'Something else emits GenAI spans for the calls that are recorded here.',
    why: 'Every model call shows twice in the trace, and sums of tokens and cost over spans count it twice.',
    fix: "Switch one of them off for the other backends: the library's own telemetry option, as `new Anthropic({ openTelemetry: false })`, or that instrumentation.",
  },
  'spans-lost': {
    severity: 'problem',
    what: 'Recorded spans were lost on their way.',
    why: 'Runs they belong to cannot be replayed fully.',
    fix: 'See that the collector is reachable and its address right: OTEL_EXPORTER_OTLP_ENDPOINT.',
  },
  'spool-waits': {
    severity: 'note',
    what: 'Recordings wait on the disk of this machine.',
    why: 'Those that the collector does not have yet are in no list, and `latest` is none of them, until they are handed over.',
    fix: 'Hand them over with `reenact spool deliver`, once the collector is there; the next process that records to it for more than a second does so, too.',
  },
  'tracer-first': {
    severity: 'problem',
    what: 'A tracer that keeps the clock of the platform for itself was loaded before the hook.',
    why: 'What it reads of the clock is not recorded, and in a replay, where the hook is always first, counts as read by the run: a run that reads the clock itself gets other times there.',
    fix: 'Put `--import reenact/register` before the tracer. Where a --require loads that, put `-r reenact/register` before it: Node.js requires before it imports.',
  },
  'unknown-variable': {
    severity: 'problem',
    what: 'The environment has a variable of Reenact that nothing reads.',
    why: 'What it asks for is not in force: with a misspelt rule of redaction, what it should have found is recorded.',
    fix: 'Correct its name; `reenact docs environment` lists all there are.',
  },
  'unrecorded-model-call': {
    severity: 'problem',
    what: 'A model was called, and nothing recorded it.',
    why: 'The answer is missing from the recording: in a replay the call is refused, so that the run it was made in is partial.',
    fix: 'Load the library after its instrumentation (`--import` the file that sets OpenTelemetry up), use its instrument function where the app is bundled, add HttpInstrumentation, or wrap the call: boundary("model", …). Of an agent in a program of its own wrap what reads its messages, an async generator.',
  },
  'unseen-model-call': {
    severity: 'problem',
    what: 'A model was called by a client that nothing has patched.',
    why: 'The call is recorded as plain HTTP: it replays where nothing patches the client there either, and cannot be edited as a model call. A replay loads reenact first: a client that was only loaded too early is patched in it, and its call refused: not one of openai or @anthropic-ai/sdk, which is answered from its requests.',
    fix: 'Where a framework has a copy of the client among its own files, as Mastra has the providers of the AI SDK behind model names, nothing reaches that; one that brings an older version of it, as Genkit does of openai, cannot be given another. Of both nothing has to be done. Else load reenact before the library, use a version of it that is patched (`reenact doctor` names one that is not) or its instrument function where the app is bundled. Either way the call can be wrapped: boundary("model", …).',
  },
  'unwrapped-driver': {
    severity: 'note',
    what: 'A database driver or another client is loaded and no client of it was wrapped, or one that was not has connected.',
    why: 'What it reads is not recorded. In a replay it is refused to connect, or to open a file for writing. What a native add-on opens that is not known is out of sight and done for real, writes too.',
    fix: 'Wrap it where it is made: pgClient, mysql2Client, redisClient, ioredisClient, mongodbClient, sqliteClient, betterSqlite3Client, libsqlClient, or boundary.client for any other.',
  },
  'variable-value': {
    severity: 'problem',
    what: 'A variable of Reenact has a value that cannot be used.',
    why: 'What it asks for is not in force: recording stays on or off as without it. Where it is a rule of redaction, nothing is recorded.',
    fix: 'Give it one of the values named; `reenact docs environment` says what each takes.',
  },
} as const satisfies Record<string, TrapDescription>;

/** One kind of trap. The list is closed. */
export type TrapKind = keyof typeof TRAPS;

/** One trap found in this process. `detail`: which package, span, variable or address. */
export interface Trap {
  readonly kind: TrapKind;
  readonly detail: string;
}
