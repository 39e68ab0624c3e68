/** How much of a compressed body is inflated between two looks at how much room there is. */
export const INFLATE_CHUNK_BYTES = 64 * 1024;

/** What a gRPC sender may send of one request before the receiver has read any of it: most requests whole. */
export const GRPC_STREAM_WINDOW_BYTES = 4 * 1024 * 1024;

/** The same of all requests of one connection. */
export const GRPC_CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** Room a gRPC request holds from its headers on; what it needs beyond that is taken as its message arrives. */
export const GRPC_REQUEST_RESERVED_BYTES = 256 * 1024;

/** How much of a refused body is still read, so that the sender gets to read the answer: as much as a request may have unless told otherwise. */
export const REFUSED_BODY_DRAIN_BYTES_MAX = 64 * 1024 * 1024;

/** How long nothing may come of a refused body before its connection is closed. */
export const REFUSED_BODY_STALL_MS = 2_000;

/** How long all of it may take. */
export const REFUSED_BODY_TIME_MS_MAX = 30_000;

/** How long the items of one JSON request are read before others have their turn. */
export const INGEST_TURN_MS = 20;
