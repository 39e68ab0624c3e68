export type { CollectorClientOptions } from './api-connection.ts';
export { type CollectorClient, createCollectorClient } from './collector-client.ts';
export type { FollowOptions } from './follow-runs.ts';
export { type ClientTls, tlsFetch } from './tls-fetch.ts';
