import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trimWhiteSpace } from '@sluice/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { createScriptedAgent, hosted } from '../../testing/scripted-agent.ts'
import { type AskedRun, assertSameDirs, toRunRequest } from './run-request.ts'

const addDirsKey = 'agent_api.exec.add_dirs.v1'
const agent = createScriptedAgent(async () => undefined)
let root = ''
let work = ''

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'sluice-request-')))
  work = join(root, 'work')
  for (const name of ['inside', 'x ', '\u0085', '~', 'deep/er'])
    await mkdir(join(work, name), { recursive: true })
  await mkdir(join(root, 'secret'))
  await writeFile(join(work, 'file'), '')
  await symlink(join(root, 'secret'), join(work, 'way-out'))
  await symlink(join(root, 'secret'), join(work, 'x'))
  await symlink(join(work, 'x '), join(work, 'to-x'))
  await symlink(work, join(root, 'current'))
})
afterAll(() => rm(root, { recursive: true }))

const ask = (
  asked: Partial<AskedRun>,
  {
    workingDirs = [work],
    mayRaise = false,
  }: { readonly workingDirs?: readonly string[] | undefined; readonly mayRaise?: boolean | undefined } = {},
) =>
  toRunRequest(
    'mine',
    hosted(agent, { workingDirs, allowEnv: ['A'], requestsMayRaisePermissions: mayRaise }),
    {
      prompt: 'go',
      ...asked,
    },
  )
const dirs = (...names: readonly string[]): Partial<AskedRun> => ({
  extensions: { [addDirsKey]: { dirs: [...names] }, other: 1 },
})

describe('directories', () => {
  test('are handed on as the real paths that were checked, and not in a second form', async () => {
    expect(await ask({ workingDir: 'deep/../deep/er', ...dirs('../../to-x', '..', '../..', work) })).toEqual({
      prompt: 'go',
      workingDir: join(work, 'deep/er'),
      addDirs: [join(work, 'x '), join(work, 'deep'), work],
      extensions: { other: 1 },
    })
  })

  test('start in the real path of the first configured one', async () => {
    expect(await ask(dirs('inside'), { workingDirs: [join(root, 'current')] })).toMatchObject({
      workingDir: work,
      addDirs: [join(work, 'inside')],
    })
    expect(await ask({}, { workingDirs: ['/nowhere/at/all'] })).toEqual({
      prompt: 'go',
      workingDir: '/nowhere/at/all',
    })
  })

  test('have no other reading than the agent has of them', async () => {
    expect(await ask(dirs('inside\u0085', '~'))).toMatchObject({
      addDirs: [join(work, 'inside'), join(work, '~')],
    })
  })

  test.each([
    ['white space that only one of two readings takes away', '\u0085/..'],
    ['the same at the end', '/..\u0085'],
    ['a parent', '..'],
    ['a link', 'way-out'],
    ['a link below a parent', 'inside/../way-out/.'],
    ['the name of a link beside a directory with a space', 'x'],
    ['a name with white space that is trimmed to a link', 'x '],
    ['the root', '/'],
  ])('are refused where they lead outside: %s', async (_, name) => {
    await expect(ask(dirs('inside', name))).rejects.toMatchObject({
      code: 'invalid_run',
      message: 'The directory is not below one of agents.mine.workingDirs.',
      details: { path: `/extensions/${addDirsKey}` },
    })
  })

  test.each(['gone', 'file', 'in\0side', '\ufeffinside'])(
    'are refused where there is none: %j',
    async (name) => {
      await expect(ask({ workingDir: name })).rejects.toMatchObject({
        code: 'invalid_run',
        details: { path: '/workingDir' },
      })
      await expect(ask(dirs(name))).rejects.toMatchObject({ code: 'invalid_run' })
    },
  )

  test('are never outside, whatever their names are', async () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '/',
      'x',
      'x ',
      'to-x',
      'way-out',
      '\u0085',
      '\ufeff',
      ' ',
      '~',
      root,
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 6 }), async (parts) => {
        for (const asked of [dirs(parts.join('')), dirs(parts.join('/')), { workingDir: parts.join('/') }]) {
          const taken = await ask(asked).catch(() => undefined)
          const paths = [taken?.workingDir ?? work, ...(taken?.addDirs ?? [])]
          for (const path of paths) {
            expect(`${path}/`.startsWith(`${work}/`)).toBe(true)
            expect(await realpath(path)).toBe(path)
          }
          expect(taken?.extensions?.[addDirsKey]).toBeUndefined()
        }
      }),
      { numRuns: runs(25) },
    )
    expect(trimWhiteSpace('\u0085/..')).not.toBe('\u0085/..'.trim())
  })

  test('of the wrong form are not handed on', async () => {
    for (const value of ['/', { dirs: '/' }, { dirs: ['/'], more: 1 }, { dirs: [] }])
      await expect(ask({ extensions: { [addDirsKey]: value } })).rejects.toMatchObject({
        code: 'invalid_run',
      })
  })

  test('need the opt-in where nothing bounds them', async () => {
    await expect(ask(dirs('/'), { workingDirs: [] })).rejects.toMatchObject({
      code: 'run_not_permitted',
      details: { path: `/extensions/${addDirsKey}`, setting: 'requestsMayRaisePermissions' },
    })
    expect(await ask(dirs('/'), { workingDirs: [], mayRaise: true })).toMatchObject({
      extensions: { [addDirsKey]: { dirs: ['/'] } },
    })
    await expect(ask(dirs('/'), { workingDirs: [work], mayRaise: true })).rejects.toMatchObject({
      code: 'invalid_run',
    })
  })

  test('that were replaced while a run waited are refused', async () => {
    const place = join(work, 'swapped')
    await mkdir(place)
    const request = await ask({ workingDir: 'swapped' })
    await assertSameDirs(request)
    await rename(place, join(work, 'moved'))
    await symlink(join(root, 'secret'), place)
    await expect(assertSameDirs(request)).rejects.toMatchObject({ code: 'run_failed' })
    await expect(assertSameDirs({ prompt: 'go', addDirs: [place] })).rejects.toMatchObject({
      code: 'run_failed',
    })
  })
})

test('variables are those that are allowed, without the character that would end them', async () => {
  expect(await ask({ env: { A: '-x' } })).toMatchObject({ env: { A: '-x' } })
  for (const env of [{ B: 'x' }, { 'A ': 'x' }, { a: 'x' }, { A: 'x\0B=y' }])
    await expect(ask({ env })).rejects.toMatchObject({ code: 'invalid_run', details: { path: '/env' } })
})
