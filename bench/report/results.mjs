import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeMachine } from './machine.mjs'

const file = fileURLToPath(new URL('../RESULTS.md', import.meta.url))

const preface = `# Results

Written by \`npm run bench\`: each suite replaces its own section. README.md explains how the figures are measured.
Ratios compare two pieces of work in one run on one machine; a ratio of 1 means as fast as the floor.
`

/** Prints the section of one suite and replaces its previous one, or adds it at the end. */
export function writeSection(name, body) {
  const section = `## ${name}\n\n${describeMachine(`npm run bench -- ${name}`)}\n\n${body.trim()}\n`
  process.stdout.write(`\n${section}`)
  const sections = existsSync(file) ? splitSections(readFileSync(file, 'utf8')) : new Map()
  sections.set(name, section)
  writeFileSync(file, [preface, ...sections.values()].join('\n'))
}

/** The sections of a results file by name, in order. */
function splitSections(text) {
  const sections = new Map()
  for (const part of text.split(/^(?=## )/m).slice(1)) {
    sections.set(part.slice(3, part.indexOf('\n')).trim(), `${part.trim()}\n`)
  }
  return sections
}
