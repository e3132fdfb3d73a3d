// An agent that prints its prompt, numbered, as many times as its first argument says. Half-way it waits
// until the file that its second argument names exists.

import { existsSync, watch } from 'node:fs'
import { dirname } from 'node:path'

const [count, gate] = [Number(process.argv[2]), process.argv[3]]
let prompt = ''
for await (const chunk of process.stdin.setEncoding('utf8')) prompt += chunk

for (let index = 0; index < count; index += 1) {
  if (index === count / 2) await opened(gate)
  console.log(JSON.stringify({ agent_kind: 'fake', kind: 'Status', message: prompt, data: { index } }))
}

function opened(path) {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), look)
    function look() {
      if (!existsSync(path)) return
      watcher.close()
      resolve()
    }
    look()
  })
}
