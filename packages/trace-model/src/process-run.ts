/** Name of the crossing that is the run of a process that has no agent boundary around its calls. */
export const PROCESS_RUN_NAME = 'process';

/** `kind:name` of that crossing. */
export const PROCESS_RUN_LABEL = `agent:${PROCESS_RUN_NAME}`;
