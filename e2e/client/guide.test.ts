import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { blocksOf } from '../../checks/docs/markdown.ts'
import { localKey, startGateway } from './start-gateway.ts'

test.each(['client', 'write-an-agent'])(
  'docs/guides/%s.md is a program that prints what it says',
  async (guide) => {
    const gateway = await startGateway()
    onTestFinished(gateway.close)
    const blocks = blocksOf(await readFile(`docs/guides/${guide}.md`, 'utf8'))
    const textOf = (...tags: string[]) =>
      blocks.filter((block) => block.tags.join() === tags.join()).map(({ text }) => text)
    const program = textOf('js').join('\n').replace('http://127.0.0.1:4747', gateway.url)

    // Node resolves `@sluice/…` from the folder of the module, so that must be inside the repository.
    const folder = resolve('node_modules', '.cache', 'sluice-docs')
    const file = join(folder, `${guide}-guide-${process.pid}.mjs`)
    await mkdir(folder, { recursive: true })
    await writeFile(file, program)
    onTestFinished(() => rm(file))
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      env: { ...process.env, SLUICE_TOKEN: localKey },
    })
    expect(stdout.trimEnd().split('\n')).toEqual(textOf('text', 'output').join('\n').split('\n'))
  },
)
