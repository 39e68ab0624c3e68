/**
 * The platform's `http`. Not imported: the facade of `node:http` for ES modules reads every member, one of which loads the undici
 * inside Node.js, and that takes the place of the agent that the app's own undici shares with nobody where the app imports neither.
 */
export const platformHttp = process.getBuiltinModule('node:http');
