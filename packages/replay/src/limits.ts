/** How many paths of stale crossings one divergence lists. */
export const STALE_PATHS_MAX = 50;

/** How many changed leaf values are remembered per comparison, to find where a later change came from. */
export const CHANGED_LEAVES_MAX = 200;

/** How many characters of one changed leaf are remembered. */
export const CHANGED_LEAF_CHARACTERS_MAX = 4_000;

/** How short a changed value may be and still count as evidence; shorter ones turn up everywhere by chance. */
export const EVIDENCE_CHARACTERS_MIN = 3;

/** How many divergences a report lists; the counts name all of them. */
export const DIVERGENCES_MAX = 500;

/** How many characters of an outcome a report shows. */
export const OUTCOME_CHARACTERS_MAX = 2_000;

/** How many names an error message lists before it only counts. */
export const NAMES_LISTED_MAX = 12;

/** How many bytes the baggage member that carries a position may have. */
export const POSITION_TOKEN_BYTES_MAX = 256;

/** How long a position counts that travels with a request, milliseconds. */
export const POSITION_LIFE_MS = 60_000;

/** How long a position counts in the environment of a process, milliseconds; a debugger may hold its start up for hours. */
export const PROCESS_POSITION_LIFE_MS = 24 * 60 * 60 * 1_000;

/** How often it is looked how far a command has come, milliseconds. */
export const PROGRESS_POLL_MS = 1_000;

/** How much is repeated of why a process took no part in a replay. */
export const REFUSAL_CHARACTERS_MAX = 1_000;

/** How many bytes one process may report; what is beyond is not read, and the report says so. */
export const REPORT_FILE_BYTES_MAX = 256 * 1024 * 1024;

/** How many turns of the event loop an agent gets to react to one released completion before the next. */
export const REACTION_TURNS = 2;

/** How many it gets while somebody has set an immediate: its own code, or a client of the platform that reads and writes in turns. */
export const REACTION_TURNS_MAX = 50;

/** How wide a rendered text report is, in characters. */
export const TEXT_WIDTH_CHARACTERS = 100;

/** How many characters of a differing value the text and Markdown reports show on each side. */
export const RENDERED_VALUE_CHARACTERS_MAX = 160;

/** How many differing places of one divergence the text and Markdown reports show. */
export const RENDERED_DIFFERENCES_MAX = 8;

/** How many paths of stale crossings the text and Markdown reports show. */
export const STALE_PATHS_RENDERED_MAX = 5;

/** How many causes that say something of their own the text and Markdown reports show. */
export const CAUSES_RENDERED_MAX = 20;

/** How many consequences of one cause, likewise. */
export const CONSEQUENCES_RENDERED_MAX = 12;

/** How many calls of one process are refused before it is ended: one that tries again and again would never end. */
export const REFUSED_CALLS_MAX = 10_000;

/** How many different refused effects one process reports; what comes after is refused as well, and a note says so. */
export const FORBIDDEN_EFFECTS_MAX = 500;

/** Of those that code of no run attempts while one goes on: fewer, so that a report has room for what the run itself did. */
export const FORBIDDEN_BESIDE_MAX = 100;

/** How large one request to a served provider may be, bytes; images inside prompts make them large. */
export const SERVED_REQUEST_BYTES_MAX = 64 * 1024 * 1024;

/** How long a served answer waits for calls that were recorded beside it to end first, milliseconds. */
export const OVERLAP_WAIT_MS = 500;

/** How many attempts of one wire request a plan can make fail; client libraries give up long before. */
export const ATTEMPTS_FAILED_MAX = 32;

/** How many headers a failure of a plan may have. */
export const HEADERS_FAILED_MAX = 64;

/** How large a plan file may be, bytes. */
export const PLAN_FILE_BYTES_MAX = 16 * 1024 * 1024;

/** How long before its recorded start a run's process stands on the virtual clock when the replay begins. */
export const RUN_LEAD_MS = 60_000;

/** How near to the run's start its clock may leap before it. */
export const LEAP_LEAD_MS = 1_000;

/** How long virtual time waits for files, programs and other work outside JavaScript that does not come to an end. */
export const REAL_WORK_MS_MAX = 5_000;

/** How long a replay waits for what a thread or a process says that seems to be at work. */
export const ANSWER_MS_MAX = 10_000;

/** How often it is looked whether that is still so. */
export const ANSWER_LOOK_MS = 500;

/** How often a timer that is due after everything recorded looks whether anything real may still come before it, milliseconds. */
export const MAY_COME_LOOK_MS = 100;

/** How often work is waited for in vain that was recorded to end in some place, until no place of work is kept any more. */
export const WORK_GIVEN_UP_MAX = 3;

/** How long a process is kept for a signal that it has sent to itself, milliseconds. */
export const OWN_SIGNAL_MS_MAX = 100;

/** How often it is looked whether such work has ended. */
export const REAL_WORK_POLL_MS = 5;

/** How long a timer waits for a call that was recorded to start before it fired. */
export const EXPECTED_CALL_MS_MAX = 2_000;

/** How often runs of a process are waited for in vain until none is any more: a replay of many that changed would take so long for each. */
export const STEPS_GIVEN_UP_MAX = 5;

/** How long a timer that is due after everything recorded waits for something to happen instead, where nothing real may. */
export const BEYOND_RECORDED_MS_MAX = 1_000;

/** How much earlier than a timer a call must have been recorded to start to count as before it: timers are no more exact. */
export const TIMER_TOLERANCE_US = 2_000;

/** How long another server of a command that listens already may take until it does, for a request that is sent before the replayed one. */
export const SERVER_BESIDE_MS_MAX = 2_000;

/** How long a command that a request is to be sent to may take until it listens. */
export const LISTEN_MS_MAX = 60_000;

/** How long a server that is not on the recorded port waits for one that is. */
export const LISTEN_SETTLE_MS = 250;

/** How much longer than this process the recorded one must have been up, where that is known, to be taken to have rested when it was asked, milliseconds. */
export const REST_LEAD_MS = 250;

/** How often it is looked whether a process rests that listens, milliseconds; how much of the processor's time it may take until then, and how long that may last. */
export const REST_LOOK_MS = 30;
export const REST_WORK_MS_MAX = 10_000;
export const REST_MS_MAX = 30_000;

/** A process that is at work for no larger share of the time between two looks, so many times in a row, rests. */
export const REST_SHARE_MAX = 0.5;
export const REST_LOOKS = 2;

/** How long a request waits for the calls that the process had made before it came when it was recorded, milliseconds. */
export const SET_UP_MS_MAX = 2_000;

/** How long none of them may come until those that are left are not waited for, milliseconds: the replayed program may make fewer. */
export const SET_UP_QUIET_MS = 250;

/** How often it is looked whether they were made, milliseconds. */
export const SET_UP_LOOK_MS = 5;

/** The same where the process had called something again and again, milliseconds, and how long all of these may take: each call is one of a timer's. */
export const SET_UP_POLLS_QUIET_MS = 1_000;
export const SET_UP_POLLS_MS_MAX = 30_000;

/** How long after an answer a process asks the same address for something else where a timer does, and it is none page after the other, milliseconds. */
export const POLL_PAUSE_MS_MIN = 20;

/** How long a request waits after these until the process says that it is due, milliseconds. */
export const SET_UP_DUE_MS_MAX = 1_000;

/** How often, and after how many real milliseconds each, it is looked whether a process is at work before time leaps to its next call. */
export const SET_UP_LOOKS = 4;
export const SET_UP_LOOK_QUIET_MS = 25;

/** How often it is looked whether a process that waits for its run does nothing, one after the other, before a timer of its own fires early; the first time, when it may still be loading. */
export const IDLE_BEFORE_LOOKS = 4;
export const IDLE_BEFORE_START_LOOKS = 40;

/** How many real milliseconds are between two of these looks. */
export const IDLE_BEFORE_LOOK_MS = 25;

/** How many timers fire early then without another look. */
export const IDLE_BEFORE_FIRED_MAX = 100;

/** How many timers may fire before a run from one recorded call to the next; once more each of those that wait then. What calls nothing may have done so for days. */
export const SET_UP_FIRED_MAX = 100;

/** How much later than its call a timer may be due that is taken for the one which makes it, microseconds. */
export const SET_UP_LATE_US_MAX = 100_000;

/** How long a program gets to take in the answer to the last of them, milliseconds. */
export const SET_UP_REACTION_MS = 50;

/** How long the port that a command did not get may take to show that somebody else has it. */
export const PORT_PROBE_MS_MAX = 500;

/** How often a run that has answered is asked whether it has told its outcome. */
export const OUTCOME_POLL_MS = 5;

/** How long a request that is sent after others is held back until everything has happened that was recorded to happen before it came. */
export const DUE_MS_MAX = 30_000;

/** How long a run that has answered may take to tell its outcome; on a busy machine it may be stopped by the system right there. */
export const OUTCOME_WAIT_MS_MAX = 2_000;

/** How long a run may go on after it has answered, beyond what it took when it was recorded. */
export const RUN_TAIL_MS = 250;

/** How long a run may go on after it has answered, whatever was recorded. */
export const RUN_TAIL_MS_MAX = 5_000;

/** How often it is looked whether what a run goes on to do after its end is over, milliseconds. */
export const TAIL_LOOK_MS = 20;

/** How long nothing may be under way until calls that were recorded after the end of a run are not waited for any more, milliseconds. */
export const TAIL_REST_MS = 1_000;

/** How often it is looked, in this process, whether a run has made the calls it made after its end, milliseconds. */
export const TAIL_POLL_MS = 2;

/** How long a program may go on after the replayed run of it has ended, and no other goes on. */
export const AFTER_RUN_MS_MAX = 10_000;

/** How often it is looked whether processes go on that the run started and did not wait for, once the command has ended, milliseconds. */
export const STARTED_LOOK_MS = 100;

/** How often it is looked whether a command goes on although the processes of the run have ended, milliseconds. */
export const LEFT_COMMAND_LOOK_MS = 1_000;

/** How long a command may go on after it was told to end, before it is ended, milliseconds; what supervisors of containers give one. */
export const COMMAND_STOP_MS_MAX = 10_000;

/** How often it is looked whether a program waits for something that does not come in a replay, milliseconds. */
export const IDLE_LOOK_MS = 1_000;

/** How much of the time between two looks a program that waits may compute, from 0 to 1. */
export const IDLE_UTILIZATION_MAX = 0.5;

/** How long a program may wait for nothing known before it is ended, milliseconds; longer where it was recorded to. */
export const IDLE_MS = 30_000;

/** How long it may at most where it waits for others: a connection was refused, or it listens. */
export const IDLE_MS_MAX = 60_000;

/** How long a command may take to end after it was asked to. */
export const CHILD_STOP_MS_MAX = 5_000;

/** How many stack frames are looked through for the user's place that makes a call. */
export const CALL_SITES_MAX = 100;

/** How many crossings a report names that were answered more often than they were recorded. */
export const LISTED_LABELS_MAX = 6;

/** How many of the crossings that one note is about it names; it tells how many there are in all. */
export const NOTE_PATHS_NAMED_MAX = 3;

/** How many of them a report lists for programs. */
export const NOTE_PATHS_MAX = 500;

/** How often it is looked for processes of a replay that take no part in it. Node.js takes longer than this to start. */
export const PROCESS_POLL_MS = 10;

/** How many such looks a process gets whose environment reads as empty, as it does for a moment while every program starts. */
export const EMPTY_LOOKS_MAX = 20;

/** How many such looks a process gets that has the replay's directory and loads modules first, so that it may join by itself. */
export const JOIN_LOOKS_MAX = 300;

/** How often it is looked whether the servers that a stopped command left have ended, milliseconds. */
export const LEFT_SERVERS_LOOK_MS = 20;

/** How often a process of a replay looks whether its driver is still there, milliseconds. */
export const DRIVER_WATCH_MS = 500;

/** How short the key may be that drivers and shared processes have in common, characters. */
export const REPLAY_KEY_CHARACTERS_MIN = 32;

/** How long a shared process collects what it reports before it sends it, milliseconds. */
export const RELAY_DELAY_MS = 50;

/** How much a shared process keeps that it could not send, characters of JSON; what comes after is left out. */
export const RELAYED_BYTES_WAITING_MAX = 64 * 1024 * 1024;

/** How many replays a shared process takes part in at one time; what comes of others is refused, never run. */
export const SHARED_REPLAYS_MAX = 256;

/** How long a replay through running services may take, milliseconds; the replay service forgets it then. */
export const SHARED_REPLAY_LIFE_MS = 30 * 60 * 1_000;

/** How long services get to report the rest once the recorded request was answered, milliseconds. */
export const GATHER_MS_MAX = 15_000;

/** How long the answer of a running service may take beyond what was recorded, milliseconds. */
export const SERVICE_ANSWER_MS_MAX = 10 * 60 * 1_000;

/** How long it is waited whether a running gRPC service takes part, milliseconds; it may have to fetch the recording first. */
export const RPC_JOIN_QUESTION_MS_MAX = 30_000;

/** How many runs beside the replayed one a report lists. */
export const RUNS_LISTED_MAX = 100;

/** How many paths of a set-up that the replay did not make a report lists. */
export const SET_UP_PATHS_MAX = 20;

/** How many members or indexes an error message lists. */
export const MEMBERS_NAMED_MAX = 8;

/** How many files a replay puts aside what is appended to them; to append to more is refused. */
export const APPENDED_FILES_MAX = 1_000;

/** How long a request waits for an answer that is under way and is to give it a cookie or another secret, milliseconds. */
export const GIVEN_WAIT_MS_MAX = 2_000;

/** Longer answers are not searched for secrets that later requests bring back, bytes. */
export const GIVEN_BODY_BYTES_MAX = 8 * 1024 * 1024;

/** How much of standard input is given to a program at once, bytes: what a pipe gives. */
export const INPUT_CHUNK_BYTES = 64 * 1024;

/** How often it is looked whether a program waits for more of its input, while a run of it goes on, milliseconds. */
export const INPUT_LOOK_MS_MAX = 20;

/** How many looks, a millisecond apart, a program has to be found doing nothing before it is given more of its input. */
export const INPUT_QUIET_LOOKS = 3;

/** How long a program waits for its input that is never found doing nothing, milliseconds: a server of its own may listen. */
export const INPUT_QUIET_MS_MAX = 250;

/** How long a program is given to begin the run before which it had all the input that it waits behind, milliseconds. */
export const INPUT_RUN_MS_MAX = 2_000;

/** How many turns of the event loop a program has to react to one key before the next. */
export const INPUT_KEY_TURNS = 5;

/** How long a program that waits for a timer of its own is left without the input that came later, milliseconds: not every timer ends in a question. */
export const INPUT_TIMERS_MS_MAX = 5_000;

/** How many hosts a report names to which a process that is shared sent telemetry for real. */
export const TELEMETRY_TARGETS_TOLD_MAX = 16;

/** How many requests of exporters that were held back a process counts, of one run and whatever place. */
export const TELEMETRY_HELD_COUNTED_MAX = 1_000;
