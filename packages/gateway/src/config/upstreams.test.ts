import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'

let cwd = ''
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'sluice-config-'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function load(upstreams: readonly object[]) {
  await writeFile(join(cwd, 'sluice.config.json'), JSON.stringify({ aaep: { upstreams } }))
  return (await loadConfig({ cwd })).aaep.upstreams
}

const url = 'https://agents.example.org'

describe('aaep.upstreams', () => {
  test('are read with all their keys, and a file starts in the folder of the configuration', async () => {
    const given = [
      { url, tokenFile: 'agents.token', labels: { team: 'travel' } },
      { url: 'http://10.0.0.7:8080/base', token: 'secret', framing: 'plain', allowPrivate: true },
    ]
    expect(await load(given)).toEqual([{ ...given[0], tokenFile: join(cwd, 'agents.token') }, given[1]])
  })

  test('come from a variable as JSON', async () => {
    await rm(join(cwd, 'sluice.config.json'), { force: true })
    const { aaep } = await loadConfig({ cwd, env: { SLUICE_AAEP_UPSTREAMS: JSON.stringify([{ url }]) } })
    expect(aaep.upstreams).toEqual([{ url }])
  })

  test.each([
    [[{ url: 'http://agents.example.org' }], '/aaep/upstreams/0/url', 'unless allowPrivate is true'],
    [[{ url }, { url }], '/aaep/upstreams/1/url', 'twice'],
    [[{ url, token: 'a', tokenFile: 'b' }], '/aaep/upstreams/0', 'not both'],
    [[{ url: `${url}?key=1` }], '/aaep/upstreams/0/url', 'of the form'],
    [[{ token: 'a' }], '/aaep/upstreams/0/url', 'is missing'],
    [[{ url, framing: 'other' }], '/aaep/upstreams/0/framing', 'named, plain'],
    [[{ url, labels: { team: 1 } }], '/aaep/upstreams/0/labels', 'must be'],
  ])('are refused where they are wrong: %j', async (upstreams, key, says) => {
    await expect(load(upstreams)).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining(says),
      details: { key },
    })
  })
})
