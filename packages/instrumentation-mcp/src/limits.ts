/** How many messages of a server are recorded while one request is under way; more are marked. */
export const DELIVERIES_MAX = 1_000;
