/** What says how a machine and a process are. */
export const READING_FUNCTIONS = [
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
