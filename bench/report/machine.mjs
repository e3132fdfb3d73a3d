import os from 'node:os'

// Read on import: the load of the machine before the benchmark.
const load = os.loadavg()[0]?.toFixed(1)

/** A table of what the figures depend on: machine, versions, day and command. */
export function describeMachine(command) {
  const cpus = os.cpus()
  const gibibytes = (os.totalmem() / 2 ** 30).toFixed(0)
  return [
    '| | |',
    '| --- | --- |',
    `| machine | ${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown'}, ${gibibytes} GiB, ${os.platform()} ${os.release()} ${os.arch()} |`,
    `| Node | ${process.versions.node}, V8 ${process.versions.v8} |`,
    `| date | ${new Date().toISOString().slice(0, 10)} |`,
    `| load before | ${load} |`,
    `| command | \`${command}\` |`,
  ].join('\n')
}
