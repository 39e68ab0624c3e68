/** How often it is looked for connections of native add-ons, milliseconds; one that comes and goes within is not seen. */
export const ADD_ON_LOOK_MS = 20;

/** How many random bytes are drawn at a time for ids of spans where no tracer gives them. */
export const ID_POOL_BYTES = 4_096;

/** How many traces' counters are remembered for crossings that no crossing encloses. */
export const RUNS_REMEMBERED_MAX = 10_000;

/** How many open crossings are kept track of, to be told as pending when the process exits. */
export const OPEN_CROSSINGS_MAX = 50_000;

/** How many bytes of encoded chunks one streamed outcome keeps; what comes after is marked lossy. */
export const STREAM_BYTES_MAX = 64 * 1024 * 1024;

/** How many places are named that an agent connected to and nothing recorded. */
export const CONNECTIONS_MAX = 16;

/** How many ports and paths are remembered that a process connects to. */
export const OWN_TARGETS_MAX = 1_000;

/** How many links that lead nowhere are followed to find out where a file would be made. */
export const LINKS_FOLLOWED_MAX = 40;

/** How many files are known that code has written, and whether a replay would refuse that; all are forgotten then. */
export const WRITTEN_FILES_KNOWN_MAX = 1_000;

/** How many files and folders are named that an agent changed and nothing recorded. */
export const FILES_NAMED_MAX = 8;

/** How many runs a service may have begun before its first request for each request to name them: a replay of it answers them again. */
export const RUNS_AT_START_MAX = 16;

/** How many sockets that a program opened outside of its runs are looked at again when one begins. */
export const EARLY_SOCKETS_MAX = 64;

/** How many clients that connect by themselves are known to be wrapped, beside those that are gone. */
export const EAGER_CLIENTS_MAX = 1000;

/** How many boundaries are named whose result gave something else when it was waited for, or read, again. */
export const GIVEN_ANEW_MAX = 16;

/** How many stack frames are captured to find the user's line in a replay. */
export const STACK_FRAMES_MAX = 60;

/** How many of them are looked at first. */
export const STACK_FRAMES_NEAR = 8;

/** How many ways to a call are remembered with their user's line, before they are looked for afresh. */
export const KNOWN_STACKS_MAX = 10_000;

/** How many bytes of one response body an exchange keeps; a longer one is recorded by its length and digest. */
export const EXCHANGE_BODY_BYTES_MAX = 64 * 1024 * 1024;

/** How many milliseconds telemetry that is held back waits for its answer, as over a network: who calls it off at once is told so. */
export const HELD_ANSWER_MS = 8;

/** How many turns of the event loop it is waited whether who asks for more of a body than was recorded only reads ahead, and calls it off. */
export const TURNS_READ_AHEAD = 16;

/** How many bytes of one uploaded file are kept; a longer one is compared by its length and digest. */
export const UPLOAD_BYTES_MAX = 16 * 1024 * 1024;

/** How many characters at the end of a body are looked at for a completion sentinel. */
export const COMPLETION_TAIL_CHARACTERS_MAX = 64;

/** How many bytes one export request is meant to stay below; a single larger span goes alone. */
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** How many spans one export request holds at most. */
export const BATCH_SPANS_MAX = 512;

/** How long a span waits for company before it is exported. */
export const BATCH_DELAY_MS = 500;

/** How many bytes wait for export before further spans are dropped, and counted. */
export const QUEUE_BYTES_MAX = 128 * 1024 * 1024;

/** Which part of a host's heap these bytes may be: what waits takes up to three times as much there. */
export const QUEUE_HEAP_SHARE = 1 / 16;

/** How large a span may be that still finds room beside ones that fill the queue. */
export const SMALL_SPAN_BYTES_MAX = 64 * 1024;

/** Which part of a queue's bytes such spans may take beyond them. */
export const SMALL_SPANS_SHARE = 1 / 16;

/** How many spans wait for export before further spans are dropped, and counted. */
export const QUEUE_SPANS_MAX = 50_000;

/** How long to wait after an export failed, beyond the exporter's own retries. */
export const RETRY_DELAY_MS = 5_000;

/** Up to which part of that is waited longer, so that not all processes come back at once to a collector that was away. */
export const RETRY_SPREAD = 0.5;

/** The longest wait that a receiver may ask for: what is recorded waits in memory, which is bounded. */
export const RETRY_ASKED_MS_MAX = 300_000;

/** Tries that failed one after the other before that is told: a collector which is just started again is nobody's business. */
export const FAILED_TRIES_TOLD = 3;

/** Characters of what a receiver says of spans it rejects that are told. */
export const REJECTION_REASON_CHARACTERS_MAX = 500;

/** How long an exporter may take for one request before the request counts as failed. */
export const EXPORT_TIMEOUT_MS = 30_000;

/** How long views are built in one go before the event loop gets its turn. */
export const VIEW_SLICE_MS = 8;

/** How many crossings wait for one promise-like that a host hands out again and again. */
export const PROMISE_OBSERVERS_MAX = 1_000;

/** How many clock reads and random values of one crossing are kept, and how many times the machine said how it is; equal clock reads in a row count as one. */
export const DRAWS_MAX = 10_000;

/** How many clock reads and random values of the code of one ended crossing wait for a call that carries them, and how many ticks. */
export const LATE_DRAWS_MAX = 1_000;

/** How many characters the random values of them have together, and what the machine said. */
export const LATE_DRAWN_CHARACTERS_MAX = 64 * 1024;

/** Of how many ended crossings draws wait; those of the oldest are given up. */
export const LATE_CROSSINGS_MAX = 500;

/** How many timers, and pieces of work, the root of a run carries of crossings inside that had ended; those of more take no number of the run. */
export const LATE_EVENTS_MAX = 10_000;

/** How many reads of `performance.now`, `process.hrtime` and `process.uptime` of one crossing are kept. */
export const TICKS_MAX = 10_000;

/** Of how many timers of one crossing it is kept where they fired; each firing of an interval counts. */
export const TIMERS_MAX = 10_000;

/** Of how many pieces of work outside JavaScript of one crossing it is kept where they ended; each part of a stream is one. */
export const WORKS_MAX = 10_000;

/** Of how many messages that the code of one crossing hears of threads, ports and processes it is kept where they came. */
export const ANSWERS_MAX = 1_000;

/** How many answers of threads of one script that were given a port are withdrawn once it is known that these are a pool's. */
export const POOL_SAID_MAX = 64;

/** Of how many scripts this is kept: a program that starts each thread with a text of its own has no pool of them. */
export const POOL_SCRIPTS_MAX = 16;

/** How many characters the kept random values of one crossing have together, and what the machine said. */
export const DRAWN_CHARACTERS_MAX = 1024 * 1024;

/** How many different traps of one process are kept. */
export const TRAPS_KEPT_MAX = 200;

/** In how many traces it is remembered that a model was called, to find out who else tells of it. */
export const MODEL_TRACES_KEPT_MAX = 100;

/** The oldest Node.js that is supported. */
export const OLDEST_NODE_VERSION = '22.19.0';

/** How many different boundaries are counted by name in one process. */
export const TALLIED_BOUNDARIES_MAX = 2_000;

/** How long it is waited whether a service takes part in a replay, milliseconds; it may have to fetch the recording first. */
export const JOIN_QUESTION_MS_MAX = 30_000;

/** How many characters of a model's response are read for its semconv view; a longer one keeps its exact bytes only. */
export const RESPONSE_VIEW_CHARACTERS_MAX = 8 * 1024 * 1024;

/** How many characters of a model request are read for the semconv view of its messages; a longer one keeps its exact text only. */
export const REQUEST_VIEW_CHARACTERS_MAX = 8 * 1024 * 1024;

/** How many characters of a value are shown to people beside its exact text; a longer one is in the recording once. */
export const CONTENT_VIEW_CHARACTERS_MAX = 8 * 1024 * 1024;

/** How long an attribute may be to stay on a span that its receiver found too large. */
export const REFUSED_ATTRIBUTE_CHARACTERS_MAX = 64 * 1024;

/** Up to how many bytes a frame is written to the spool before the host gets its result; a larger one goes off the path. */
export const SPOOL_FRAME_BYTES_MAX = 64 * 1024;

/** How many bytes a segment of the spool grows to before the next one is begun. */
export const SPOOL_SEGMENT_BYTES_MAX = 4 * 1024 * 1024;

/** How many bytes the spool of one process takes on the disk before its oldest segment is given up, and counted. */
export const SPOOL_BYTES_MAX = 512 * 1024 * 1024;

/** How many bytes dead processes' spools take together before the oldest segments are given up, and counted. */
export const SPOOL_LEFTOVER_BYTES_MAX = 2 * 1024 * 1024 * 1024;

/** How many spans of the spool a process knows to be waiting; further ones wait until those are delivered. */
export const SPOOL_SPANS_MAX = 1_000_000;

/** Which part of a host's heap such spans may take. */
export const SPILLED_HEAP_SHARE = 1 / 8;

/** About how many bytes of a heap one takes that memory holds no more of than where it is. */
export const SPILLED_SPAN_HEAP_BYTES = 400;

/** How often a process says that its spool is in use, and looks for spools of processes that are gone. */
export const SPOOL_HEARTBEAT_MS = 60_000;

/** After how long without a sign of life a spool of another host or container counts as left behind. */
export const SPOOL_FOREIGN_STALE_MS = 10 * 60_000;

/** How long after its first crossing a process looks for spools of processes that are gone. */
export const SPOOL_ADOPT_DELAY_MS = 1_000;

/** How long a process waits between two requests that deliver what others left; one that has nothing else to do ends meanwhile. */
export const SPOOL_LEFTOVER_PAUSE_MS = 20;

/** How many folders of other processes are looked at before the event loop gets its turn: each takes some 50 microseconds. */
export const SPOOL_FOLDERS_A_TURN = 100;

/** For how long at most requests are begun that deliver what processes left which this one has started, while somebody waits for its flush. */
export const SPOOL_DESCENDANTS_MS_MAX = 5_000;

/** How many characters of frames too large for the path wait for the disk at most. */
export const SPOOL_LATER_CHARACTERS_MAX = 64 * 1024 * 1024;

/** How many bytes wait in memory for export where a spool holds what has no room. */
export const QUEUE_BYTES_BESIDE_SPOOL_MAX = 32 * 1024 * 1024;

/** How long the spool is left alone after it could not be written. */
export const SPOOL_RETRY_MS = 30_000;

/** From what age on an open crossing that is being answered is written to the spool again, with what has come of the answer. */
export const SPOOL_ANSWER_MS = 250;

/** How many characters, and pieces, of a word that may go on are held back of a stream that goes on, before it is written down. */
export const HELD_BACK_CHARACTERS_MAX = 256;
export const HELD_BACK_PIECES_MAX = 24;

/** How large a frame with what has come of an answer may be, and one of a start that was too large for a frame and has not ended at that age. */
export const SPOOL_ANSWER_BYTES_MAX = 256 * 1024;

/** It is written once more when it is older by one of so many parts of its age then: a quarter. */
export const SPOOL_ANSWER_PARTS = 4;

/** How many characters of a text are taken for one private key. */
export const PRIVATE_KEY_CHARACTERS_MAX = 32 * 1024;

/** How many characters of a text are taken for the value beside a name of a secret. */
export const SECRET_VALUE_CHARACTERS_MAX = 8 * 1024;

/** How deep JSON may nest to be redacted by its structure; what nests deeper is redacted as plain text. */
export const REDACTED_JSON_DEPTH_MAX = 500;

/** How many shapes of events of one stream are remembered, so that events like them are not taken apart again. */
export const EVENT_SHAPES_MAX = 64;

/** How many of them one event is held against. */
export const EVENT_SHAPES_TRIED_MAX = 4;

/** How many values of environment variables are taken for secrets and looked for everywhere. */
export const ENVIRONMENT_SECRETS_MAX = 64;

/** How many bytes of a compressed body are unpacked to look for secrets in it; a longer one is noted as unread. */
export const REDACTED_COMPRESSED_BYTES_MAX = 2 * 1024 * 1024;

/** How many bytes a compressed body may grow to while secrets are looked for in it, all that is packed in it together. */
export const REDACTED_UNPACKED_BYTES_MAX = 32 * 1024 * 1024;

/** How many parts of one body that are packed each by itself are unpacked to look for secrets; the others are noted as unread. */
export const REDACTED_PACKED_PARTS_MAX = 4_000;

/** How deep bytes that are packed are looked into where they hold packed bytes themselves; deeper ones are noted as unread. */
export const REDACTED_PACKING_DEPTH_MAX = 32;

/** How many secrets' tokens are remembered, so that equal ones are not computed again. */
export const REMEMBERED_TOKENS_MAX = 1_000;

/** How long a header, a span's name or an attribute may be of which it is remembered what a search for secrets came to. */
export const SEARCHED_TEXT_CHARACTERS_MAX = 200;

/** How many of them are remembered. */
export const SEARCHED_TEXTS_MAX = 4_000;

/** How many violations of an input schema are kept on one crossing; all are counted. */
export const INPUT_VIOLATIONS_KEPT_MAX = 20;

/** How many characters of each content attribute the app's own exporters see where they are to see the beginning. */
export const HOST_CONTENT_CHARACTERS_MAX = 1_000;

/** How many boundaries are named on the root of a run that its process called beside it. */
export const CALLED_BESIDE_MAX = 32;

/** How many evaluations of feature flags by the code directly inside one crossing are kept. */
export const FLAG_EVALUATIONS_MAX = 1_000;

/** How many characters of the address in a recorded value are looked at for a message, before all of the value is searched for one. */
export const ADDRESS_CHARACTERS_SEARCHED_MAX = 8 * 1024;

/** How deep the fields of a serialized message are looked into for secrets; deeper ones are searched as bytes. */
export const MESSAGE_NESTING_MAX = 32;

/** How many members of a message, numbers aside, are looked at for the names that its bytes do not have; one with more is withheld. */
export const NAMED_MEMBERS_MAX = 200_000;

/** How many events that one subscription is told of are recorded. */
export const ANNOUNCEMENTS_MAX = 1_000;

/** How long `flush` waits for a delivery where nobody says, milliseconds. */
export const FLUSH_TIMEOUT_MS = 5_000;

/** How many unknown keys of identities the host is told of, each once. */
export const UNKNOWN_IDENTITY_KEYS_MAX = 20;

/** For how long after an answer of `fetch` has ended a clock read may be its own, in any case. */
export const FETCH_READ_MS_MAX = 250;

/** Until how many turns of the event loop after that end it may be, however long they take. */
export const FETCH_READ_TURNS_MAX = 16;

/** How many rounds of promise reactions are counted until a call has settled: some 20 µs where it does not. */
export const MICROTASKS_MAX = 1_000;

/** The same for a boundary of which a call has taken longer. */
export const MICROTASKS_AFTER_TURN_MAX = 32;

/** Through how many generations of processes it is looked for the one that started the first. */
export const PROCESS_ANCESTORS_MAX = 32;

/** How many secrets that answers gave are remembered, so that a request which brings one back names the request that was given it. */
export const GIVEN_SECRETS_MAX = 5_000;

/** How many cookies of one request, or that one answer sets, are kept each by itself; a browser sends fewer. */
export const COOKIES_MAX = 200;

/** How many bytes of standard input are kept for a run: since the one before it had begun, and while it goes on. */
export const INPUT_BYTES_MAX = 16 * 1024 * 1024;

/** How many bytes one read of a pipe or a file gives at most: behind one of so many comes more of the same. */
export const INPUT_PART_BYTES = 64 * 1024;

/** How many pieces of standard input wait for the next run. */
export const INPUT_PIECES_MAX = 10_000;

/** How many secrets that were typed are looked for in what a program hands on. */
export const TYPED_SECRETS_MAX = 100;

/** How long one is at least that is looked for; a shorter one may be met by chance. */
export const TYPED_SECRET_CHARACTERS_MIN = 6;

/** How many programs of worker threads are told apart; of what more of them do, only that a run started one is told. */
export const THREAD_PROGRAMS_MAX = 100;

/** How many tables and views of one database of SQLite are remembered to hold what it drew itself; beyond that, each statement counts as asking for one. */
export const DRAWN_NAMES_MAX = 500;
