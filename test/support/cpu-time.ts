/** The CPU time of this process, which other processes on a busy machine do not lengthen. */

/** Starts a measurement. The function returned gives the CPU time since then, in milliseconds. */
export function measureCpuTime(): () => number {
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
}
