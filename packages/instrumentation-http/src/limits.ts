/** How many bytes of one request body are kept for comparison; a longer one is compared by its length and digest. */
export const REQUEST_BODY_BYTES_MAX = 16 * 1024 * 1024;

/** From how many bytes on a body of control characters is kept as base64: below that as text, as which older recordings hold it, to be compared with. */
export const ESCAPED_BODY_BYTES_MIN = 1024 * 1024;

/** How many bytes of the answer to an inbound request are kept; a longer one is compared by its length and digest. */
export const ANSWER_BODY_BYTES_MAX = 16 * 1024 * 1024;

/** How many answers that came before one response are kept, of those a server may send as many as it likes. */
export const INTERIM_ANSWERS_MAX = 100;

/** How many bytes one message of a WebSocket may have, unpacked; with a longer one its connection is no longer recorded. */
export const WEBSOCKET_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/** How many messages of one WebSocket are recorded, counted for each direction. */
export const WEBSOCKET_MESSAGES_MAX = 10_000;

/** How many messages that libraries have begun to pack are kept until they are sent, of all WebSockets together. */
export const WEBSOCKET_PACKINGS_MAX = 100;
