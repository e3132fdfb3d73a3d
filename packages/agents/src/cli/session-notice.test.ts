import { expect, test } from 'vitest'
import { sessionNotice } from './session-notice.ts'

test.each([
  ['as it is', ' ses-1 ', 'info', { session: ' ses-1 ', model: 'm' }],
  ['not, where it is blank', ' \n', 'info', { model: 'm' }],
  ['up to 1024 bytes', 'é'.repeat(512), 'info', { session: 'é'.repeat(512), model: 'm' }],
  ['not beyond', `${'é'.repeat(512)}x`, 'warning', { model: 'm' }],
])('a session is named %s', (_, session, level, agent) => {
  const notice = sessionNotice({ session, model: 'm' })
  expect(notice).toMatchObject({ kind: 'notice', code: 'agent_session', level })
  expect(notice.meta?.agent).toEqual(agent)
  expect(notice.text).not.toContain('é')
})
