/** How much of a compressed body is inflated between two looks at how much room there is. */
export const INFLATE_CHUNK_BYTES = 64 * 1024;

/** What a gRPC sender may send of one request before the receiver has read any of it: most requests whole. */
export const GRPC_STREAM_WINDOW_BYTES = 4 * 1024 * 1024;

/** The same of all requests of one connection. */
export const GRPC_CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;

/** Room a gRPC request holds from its headers on; what it needs beyond that is taken as its message arrives. */
export const GRPC_REQUEST_RESERVED_BYTES = 256 * 1024;

/** How much of a refused body is still read, so that the sender gets to read the answer. */
export const REFUSED_BODY_DRAIN_BYTES_MAX = 8 * 1024 * 1024;

/** How long the items of one JSON request are read before others have their turn. */
export const INGEST_TURN_MS = 20;
