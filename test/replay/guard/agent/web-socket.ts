import type { Attempts } from './attempts.ts';

const { HTTP_PORT } = process.env;

/** A WebSocket tells its caller nothing of why it failed. */
export const attempts: Attempts = {
  WebSocket: () => {
    const socket = new WebSocket(`ws://127.0.0.1:${HTTP_PORT}/`);
    return new Promise((resolve) => {
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('failed');
    });
  },
};
