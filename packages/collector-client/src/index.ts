export { type CollectorClient, type CollectorClientOptions, createCollectorClient } from './collector-client.ts';
export type { FollowOptions } from './follow-runs.ts';
export { type ClientTls, tlsFetch } from './tls-fetch.ts';
