/** What says how a machine and a process are. */
export const READING_FUNCTIONS = [
  /** The number of a process that was started, as who started it knows it; null where it could not be. */
  'child_process.pid',
  /** Of a signal that was sent to such a process: that number, and its name. */
  'child_process.kill',
  'os.availableParallelism',
  'os.cpus',
  'os.freemem',
  'os.hostname',
  'os.loadavg',
  'os.networkInterfaces',
  'os.totalmem',
  'os.uptime',
  'performance.eventLoopUtilization',
  'process.availableMemory',
  'process.constrainedMemory',
  'process.cpuUsage',
  'process.memoryUsage',
  'process.memoryUsage.rss',
  'process.resourceUsage',
  'v8.getHeapStatistics',
] as const;

/** One of them. */
export type ReadingFunction = (typeof READING_FUNCTIONS)[number];
