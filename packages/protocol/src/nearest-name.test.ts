import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test.each<[string, readonly string[], string | undefined]>([
  ['prot', ['host', 'port'], 'port'],
  ['convret', ['conformance', 'convert'], 'convert'],
  ['eventbyte', ['bodyBytes', 'eventBytes'], 'eventBytes'],
  ['SLUICE_PROT', ['SLUICE_HOST', 'SLUICE_PORT'], 'SLUICE_PORT'],
  ['SLUICE_HOME', ['SLUICE_HOST', 'SLUICE_PORT'], undefined],
  ['max_body', ['max-body'], 'max-body'],
  ['to', ['from', 'input'], undefined],
  ['x'.repeat(1_000_000), ['x'.repeat(64)], 'x'.repeat(64)],
  ['', [], undefined],
])('nearestName(%j, %j) is %j', (typed, candidates, expected) => {
  expect(nearestName(typed, candidates)).toBe(expected)
})
