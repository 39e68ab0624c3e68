/** Stands where the token would be in a request that is never sent. */
export const SERVED_API_KEY = 'reenact-replay';
