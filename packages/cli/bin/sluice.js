#!/usr/bin/env node
import { main } from '../bundle/main.js'

const { stdin, stdout, stderr, env } = process
process.exitCode = await main(process.argv.slice(2), { stdin, stdout, stderr, env })
