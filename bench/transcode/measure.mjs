/**
 * Runs floor and subject in turns for `milliseconds`, so that whatever else the machine does hits both.
 * Returns the processor time of each, which includes garbage collection but not other programs.
 */
export function measure({ floor, subject }, milliseconds) {
  let floorMs = 0
  let subjectMs = 0
  while (floorMs + subjectMs < milliseconds) {
    const start = processorMs()
    floor()
    const middle = processorMs()
    subject()
    const end = processorMs()
    floorMs += middle - start
    subjectMs += end - middle
  }
  return { floorMs, subjectMs }
}

function processorMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
