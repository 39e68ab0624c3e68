/** Runs of one list answer when the query names no limit. */
export const RUNS_PER_PAGE_DEFAULT = 50;

/** Values of one kind that a summary names; runs are found by all of them. */
export const SUMMARY_NAMES_MAX = 50;

/** Things a recording lacks that a summary names one by one; each cause has one of them in any case. */
export const SUMMARY_MISSING_MAX = 50;

/** Values of one facet that one run is found by; of users, whom deletions are asked for, by all. */
export const FACET_VALUES_MAX = 2_000;

/** Crossings of one run that drift compares. */
export const OBSERVATIONS_PER_RUN_MAX = 5_000;

/** Largest attribute, event or link of a span that is looked at where what was said in the span is not. */
export const OUTLINE_ITEM_BYTES_MAX = 4 * 1024;

/** Events of one span that are remembered of a run that is summarised in pieces. */
export const OUTLINE_EVENTS_MAX = 128;

/** Characters of the text of one crossing that can be searched; the beginning counts. */
export const CROSSING_TEXT_CHARACTERS_MAX = 16 * 1024;

/** Characters of the text of one run that can be searched. */
export const RUN_TEXT_CHARACTERS_MAX = 256 * 1024;

/** Longer JSON is looked through for its words as far as they count, and not read whole. */
export const SCANNED_CHARACTERS_MIN = 1024 * 1024;

/** A piece of text without a space that is longer than this is data, not words. */
export const UNBROKEN_CHARACTERS_MAX = 512;

/** Places shown of one run that was found. */
export const SEARCH_HITS_PER_RUN_MAX = 3;

/** Characters shown around what was found, on each side. */
export const SNIPPET_CHARACTERS_AROUND = 60;

/** Runs of one search answer when the query names no limit. */
export const FOUND_PER_PAGE_DEFAULT = 20;

/** Drifts of one answer when the query names no limit. */
export const DRIFTS_PER_PAGE_DEFAULT = 20;

/** Characters of input and output that a tree shows of one crossing. */
export const PREVIEW_CHARACTERS_MAX = 300;

/** Characters of what was asked and answered that a list shows of one run. */
export const EXCERPT_CHARACTERS_MAX = 160;

/** Characters that are looked at for these: white space counts once. */
export const PREVIEW_CHARACTERS_READ = 20_000;

/** Bytes of a shorter answer are sent as they are, also to who could read them packed. */
export const PACKED_BYTES_MIN = 16 * 1024;

/** Bytes of spans that are made into one piece of a recording's answer; requests are served between two pieces. */
export const RECORDING_PIECE_BYTES = 4 * 1024 * 1024;

/** Spans of one piece of a recording's answer. */
export const RECORDING_PIECE_SPANS = 2_000;

/** Characters of such a piece that become bytes together: a piece is as large as the span in it. */
export const WRITTEN_CHARACTERS_MAX = 1024 * 1024;

/** How long a reader of an answer in pieces may read nothing: pieces that wait for it are held in memory. */
export const READER_PATIENCE_MS = 120_000;

/** Spans of a run whose tree is made in one go, of all that was said; a larger one is made of outlines. */
export const TREE_SPANS_MAX = 20_000;

/** Bytes of such a run, where memory is plenty. */
export const TREE_BYTES_MAX = 128 * 1024 * 1024;

/** Spans of which a tree of outlines is made, where memory is plenty; each takes some kilobyte until it is sent. */
export const TREE_OUTLINES_MAX = 150_000;

/** Crossings of a tree of outlines that are written together. */
export const TREE_NODES_PER_PIECE = 1_000;

/** Runs that one step of a tail writes before it waits for its reader. */
export const TAIL_RUNS_PER_STEP = 50;

/** Contents that are asked of one host at one time: a run may refer to thousands. */
export const REFERENCES_ASKED_AT_ONCE = 16;

/** Files that are read at one time below one place: of the four threads that a process does such work with, one that hangs keeps one. */
export const FILES_READ_AT_ONCE = 1;

/** For how long a host that does not answer is left alone at most; the first time as long as it was waited for, then twice as long each time. */
export const REFERENCE_REST_MS_MAX = 60_000;

/** For how long one is left alone at most that asks for it. */
export const REFERENCE_ASKED_MS_MAX = 3_600_000;

/** How long contents of one run are fetched for its summary, and of a large one for each piece. */
export const REFERENCES_SUMMARY_MS_MAX = 10_000;

/** After how long a summary is made again that lacks content whose host was away; twice as long each time that it still is. */
export const SUMMARY_RETRY_FIRST_MS = 60_000;

/** The longest of these times. */
export const SUMMARY_RETRY_MS_MAX = 3_600_000;

/** Runs that are remembered for it; of more the oldest stay as they are until they change. */
export const SUMMARIES_RETRIED_MAX = 1_000;

/** Deleted runs that are remembered for those who follow runs and were away. */
export const DELETIONS_REMEMBERED_MAX = 20_000;

/** Fetched contents that are remembered, in characters. */
export const REFERENCED_BYTES_HELD_MAX = 32 * 1024 * 1024;

/** Traces summarised together: the way between threads costs as much as a small summary. */
export const SUMMARIES_PER_BATCH = 32;

/** Runs that changed last, which have their turn first, and are waited for, where a question cannot wait for all. */
export const SUMMARIES_NEWEST_FIRST = 2 * SUMMARIES_PER_BATCH;

/** Bytes of spans at which traces are summarised together no further: a bound of memory. */
export const SUMMARY_BATCH_BYTES = 1024 * 1024;

/** Bytes of a run up to which it is summarised as a whole: decoded, and with what its payloads amount to, it takes some ten times that. */
export const SUMMARY_WHOLE_BYTES_MAX = 16 * 1024 * 1024;

/** Bytes of spans that are looked at together of a run that is larger. */
export const SUMMARY_PIECE_BYTES = 4 * 1024 * 1024;

/** Spans of such a piece. */
export const SUMMARY_PIECE_SPANS = 2_000;

/** Spans that a summary is made of; each takes some kilobyte of memory until it is made. */
export const SUMMARY_SPANS_MAX = 150_000;

/** Largest span of which a summary looks at what was said in it, which takes some ten times that. */
export const SUMMARY_SPAN_BYTES_MAX = 64 * 1024 * 1024;

/** Bytes of log records up to which a summary looks at those of a run. */
export const SUMMARY_LOG_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Bytes of spans at which no more summaries are written together. Words of many runs that are entered in one transaction take
 * half of what they take one by one, and such a transaction is one sync.
 */
export const SUMMARIES_WRITTEN_BYTES = 8 * 1024 * 1024;

/** Batches of summaries that are read, made or written at one time. */
export const SUMMARY_BATCHES_IN_WORK = 2;

/** How often a run may not be read, for errors of the disk or of the index, until it is listed as one that cannot be: else no other one would be summarised beside it. */
export const SUMMARY_READ_FAILURES_MAX = 3;

/** Traces that are queued for a summary in memory; the index knows the rest. */
export const SUMMARIES_QUEUED_MAX = 10_000;

/** How long a summary waits for the rest of a burst of spans; a query does not wait. */
export const SUMMARY_DELAY_MS = 250;

/** How long nothing more of a new run comes before it is summarised unasked. */
export const SUMMARY_FIRST_QUIET_MS = 2_000;

/** How long nothing more of a summarised run comes before it is summarised again unasked: longer than exporters usually wait. */
export const SUMMARY_QUIET_MS = 6_000;

/** Bytes of a run that make this a millisecond longer: what a summary costs is a few hundredths of the time until the next. */
export const SUMMARY_BYTES_PER_QUIET_MS = 256;

/** Milliseconds since a run's first summary that make it a millisecond long at least: a run of hours is summarised no oftener than it changes much. */
export const SUMMARY_OPEN_MS_PER_QUIET_MS = 4;

/** How long a run that goes on and on has no current summary at most, unless somebody asks. */
export const SUMMARY_STALE_MS_MAX = 60_000;

/** The same of the runs of a tenant that somebody follows. */
export const SUMMARY_FOLLOWED_MS = 2_000;

/** Runs that are remembered as just summarised, and such that wait; a run more is summarised at each change. */
export const SUMMARIES_PAUSED_MAX = 10_000;

/** The same for the thread that makes summaries, where memory is plenty: a run in work outlives a small one, and was copied again and again. */
export const SUMMARY_YOUNG_GENERATION_MB = 32;

/** Bytes of the spans of two runs that are compared, together, where memory is plenty: decoded they take some ten times that. */
export const COMPARED_BYTES_MAX = 32 * 1024 * 1024;

/** Spans of one run that is compared. */
export const COMPARED_SPANS_MAX = 20_000;

/** Crossings that the answer of a comparison lists. */
export const COMPARED_STEPS_MAX = 10_000;

/** Facts that two runs were made of differently which the answer of a comparison lists. */
export const COMPARED_ENVIRONMENT_MAX = 100;

/** Characters of one of those facts. */
export const COMPARED_VALUE_CHARACTERS_MAX = 400;

/** Characters in which the runs of a trace are named that holds several. */
export const RUNS_NAMED_CHARACTERS_MAX = 2_000;

/** Comparisons of one tenant in work and waiting at one time: one of all is in work. */
export const COMPARISONS_OF_TENANT_MAX = 4;

/** The same of all tenants together. */
export const COMPARISONS_HELD_MAX = 32;

/** How long a comparison takes at most, with its wait for others: shorter than clients wait for an answer. */
export const COMPARISON_MS_MAX = 20_000;

/** How long the thread that compares stays that nobody asks. */
export const COMPARISON_THREAD_IDLE_MS = 60_000;
