import type { SessionResource } from '@sluice/client'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { plainSpaces } from '../charts/testing/plain-spaces.ts'
import { SessionRow } from './session-row.tsx'

const session: SessionResource = {
  id: 'sess_a',
  labels: {},
  attributes: {},
  createdAt: 0,
  updatedAt: 0,
  seq: 3,
  state: 'open',
  status: 'thinking',
  questions: 0,
  findings: 0,
}
const render = (more: Partial<SessionResource>): string =>
  plainSpaces(
    renderToStaticMarkup(<SessionRow session={{ ...session, ...more }} isCurrent={false} nowMs={0} />),
  )

test.each([
  [1, '1 finding'],
  [1240, '1 240 findings'],
])('a session with %d findings says so in its row', (findings, words) =>
  expect(render({ findings })).toContain(`<span class="badge badge-bad">${words}</span>`),
)

test('a session without findings has no badge', () => {
  expect(render({ findings: 0 })).not.toContain('finding')
})
