#!/usr/bin/env node
import { main } from '../bundle/main.js'

const { stdin, stdout, stderr, env } = process
process.exitCode = await main(process.argv.slice(2), { stdin, stdout, stderr, env })
for (const stream of [stdout, stderr])
  if (stream.writableLength > 0) await new Promise((resolve) => stream.write('', resolve))
// Something outside, such as a name server that does not answer, may keep the process alive.
process.exit()
