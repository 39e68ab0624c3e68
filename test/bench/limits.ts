/** How many pieces the bench's model server writes for one streamed answer, its last one included. */
export const MODEL_STREAM_PIECES = 12;

/** How many spans wait at most in the batches that Reenact is held against: so many that none is dropped. */
export const SPAN_QUEUE_MAX = 65_536;
