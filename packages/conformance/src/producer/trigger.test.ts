import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTrigger, splitWords } from './trigger.ts'

test.each([
  ['node agent.js', ['node', 'agent.js']],
  ['say "two words" \'and "three" more\'', ['say', 'two words', 'and "three" more']],
  ['a\\ b "c\\"d" e', ['a b', 'c"d', 'e']],
  ['  ', []],
  ['run $(rm -rf x) ; echo', ['run', '$(rm', '-rf', 'x)', ';', 'echo']],
])('splitWords() of %j', (text, words) => expect(splitWords(text)).toEqual(words))

describe('a trigger', () => {
  test('sends its request, with the token only to the producer itself', async () => {
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`, request.headers.authorization)
      response.writeHead(request.url === '/no' ? 404 : 202).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    try {
      await createTrigger(`POST ${url}/go {"a": 1}`, { url, token: 't' }).pull()
      await createTrigger(`GET ${url}/go`, { url: 'http://127.0.0.1:9', token: 't' }).pull()
      expect(seen).toEqual(['POST /go', 'Bearer t', 'GET /go', undefined])
      await expect(createTrigger(`POST ${url}/no`, { url }).pull()).rejects.toMatchObject({
        code: 'fetch_failed',
      })
    } finally {
      server.close()
    }
  })

  test('runs its command without a shell', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-trigger-'))
    try {
      const file = join(folder, 'out')
      const script = `require('fs').writeFileSync('${file}', process.argv[1])`
      const trigger = createTrigger(`"${process.execPath}" -e "${script}" "a; echo b"`, {
        url: 'http://127.0.0.1:9',
      })
      await trigger.pull()
      expect(await readFile(file, 'utf8')).toBe('a; echo b')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('says how its command ended, unless it was stopped', async () => {
    const make = (script: string) =>
      createTrigger(`"${process.execPath}" -e "${script}"`, { url: 'http://127.0.0.1:9' })
    await expect(make('process.exit(3)').pull()).rejects.toMatchObject({
      message: expect.stringContaining('3'),
    })
    const lasting = make('setInterval(() => {}, 1000)')
    const pulled = lasting.pull()
    lasting.stop()
    await pulled
  })

  test('says when its command does not start', async () => {
    const trigger = createTrigger('/no/such/program', { url: 'http://127.0.0.1:9' })
    await expect(trigger.pull()).rejects.toMatchObject({ code: 'fetch_failed' })
  })
})
