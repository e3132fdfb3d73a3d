import { isSessionId } from '@sluice/protocol/dialects'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { originalsOf, toAlias } from './session-alias.ts'

const ids = fc.stringMatching(/^sess_[A-Za-z0-9]{1,64}$/)

test('an alias is the id of a session, another one for each agent, and tells what it stands for', () => {
  fc.assert(
    fc.property(fc.string(), ids, (agent, id) => {
      const alias = toAlias(agent, id)
      if (alias === undefined) return id.length > 56
      return isSessionId(alias) && originalsOf(alias)[0] === id && alias !== toAlias(`${agent}.`, id)
    }),
    { numRuns: runs(200) },
  )
})

test('an alias of an alias tells both', () => {
  const first = toAlias('north', 'sess_a') ?? ''
  expect(originalsOf(toAlias('south', first) ?? '')).toEqual([first, 'sess_a'])
  expect(originalsOf('sess_a')).toEqual([])
})
