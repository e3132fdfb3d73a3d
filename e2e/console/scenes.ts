import type { Page, Route } from 'playwright-core'
import type { PlayedSessions } from './played-sessions.ts'

/** A view of the console in one of its states. */
export interface Scene {
  readonly name: string
  path(played: PlayedSessions): string
  /** Brings the page to the state, and resolves when that is visible. */
  arrange(page: Page, played: PlayedSessions): Promise<void>
  /** Visited without a key. */
  readonly isAnonymous?: boolean
}

const sessionPath = (session: string, query = ''): string => `/sessions/${session}${query}`
const seen = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor()

/** Answers a request like a gateway that does not allow it. */
export function refuse(route: Route, status: number, code: string): Promise<void> {
  const body = JSON.stringify({ status, code, title: 'Not with this credential.' })
  return route.fulfill({ status, contentType: 'application/problem+json', body })
}

interface EmptyScene {
  readonly name: string
  arrange(page: Page): Promise<void>
}

/** The views of a gateway without sessions. */
export const emptyScenes: readonly EmptyScene[] = [
  { name: 'first use', arrange: (page) => seen(page, 'Nothing has happened here yet') },
  {
    name: 'sign-in',
    async arrange(page) {
      await page.route('**/v1/login', (route) => refuse(route, 401, 'unauthenticated'))
      await page.reload()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await page.getByLabel('Key or token').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await seen(page, 'The gateway did not take the key.')
    },
  },
]

export const scenes: readonly Scene[] = [
  {
    name: 'home with live cards and questions',
    path: () => '/',
    async arrange(page) {
      await seen(page, 'At work now')
      await page.locator('.live-card [data-part="question"]').first().waitFor()
      await page.locator('.live-card .md-text').first().waitFor()
    },
  },
  {
    name: 'a session that writes every kind of text, all of it opened',
    path: ({ working }) => sessionPath(working.session),
    async arrange(page) {
      await page.locator('.answer table').waitFor()
      await page.getByText('Reasoning', { exact: true }).first().click()
      await seen(page, 'First the')
      for (const summary of await page.locator('.tool summary').all()) await summary.click()
      await seen(page, 'Exit code 1')
      await page.getByText('How it sounds').click()
      await page.locator('.listening-more').getByLabel('How much is told').waitFor()
    },
  },
  {
    name: 'questions of every kind',
    path: ({ asking }) => sessionPath(asking.session),
    async arrange(page) {
      await seen(page, 'Cannot be undone')
      await page.getByRole('button', { name: 'By train, with bicycles' }).waitFor()
      await page.getByLabel('Your answer, a number').waitFor()
      await page.getByLabel('Your answer', { exact: true }).waitFor()
      await seen(page, 'The agent asks to be authorized')
    },
  },
  {
    name: 'an answer that was not taken',
    path: ({ asking }) => sessionPath(asking.session),
    async arrange(page) {
      await page.route('**/answers', (route) => refuse(route, 403, 'forbidden'))
      await page.getByRole('button', { name: 'By bus' }).click()
      await seen(page, /^Your answer was not sent/)
    },
  },
  {
    name: 'an answer that did not count',
    path: ({ asking }) => sessionPath(asking.session),
    async arrange(page) {
      await page.route('**/answers', (route) => route.fulfill({ json: { counted: false } }))
      await page.getByRole('button', { name: 'By bus' }).click()
      await seen(page, /your answer did not count\.$/)
    },
  },
  {
    name: 'a question that was answered elsewhere',
    path: ({ deciding }) => sessionPath(deciding.session),
    async arrange(page, { client, deciding }) {
      await page.getByRole('button', { name: 'Accept' }).waitFor()
      await client.answer(deciding.session, { token: 'q-go', decision: 'accept' })
      await seen(page, /^Answered elsewhere: Accept/)
    },
  },
  {
    name: 'a completed session',
    path: ({ completed }) => sessionPath(completed),
    arrange: (page) => seen(page, 'The agent has finished.'),
  },
  {
    name: 'a failed session',
    path: ({ failed }) => sessionPath(failed),
    arrange: (page) => seen(page, 'There is no way to the sea.'),
  },
  {
    name: 'a cancelled session',
    path: ({ cancelled }) => sessionPath(cancelled),
    arrange: (page) => seen(page, 'The agent was stopped.'),
  },
  {
    name: 'a session that does not exist',
    path: () => sessionPath('sess_nobody'),
    arrange: (page) => seen(page, 'This session cannot be shown'),
  },
  {
    name: 'a session as it was',
    path: ({ completed }) => sessionPath(completed, '?at=1'),
    async arrange(page) {
      await seen(page, 'As it was after entry 1')
      await seen(page, 'It was a')
    },
  },
  {
    name: 'a timeline with an opened entry that has findings, in another dialect',
    path: ({ broken }) => sessionPath(broken, '?seq=1'),
    async arrange(page) {
      await seen(page, 'tool_result_without_call')
      await page.getByLabel('Dialect', { exact: true }).selectOption('aaep')
      await page
        .getByRole('group', { name: /^aaep, cursor/ })
        .first()
        .waitFor()
      await page.locator('.events summary').first().click()
    },
  },
  {
    name: 'a timeline filtered to nothing',
    path: ({ completed }) => sessionPath(completed, '?part=timeline'),
    async arrange(page) {
      await page.locator('.timeline-row').first().waitFor()
      await page.getByRole('radio', { name: 'Findings' }).check()
      await seen(page, 'There is no such entry.')
    },
  },
  {
    name: 'a timeline in which something was found',
    path: ({ working }) => sessionPath(working.session, '?part=timeline'),
    async arrange(page) {
      await page.getByLabel('Find in this session').fill('dog')
      await page.getByRole('button', { name: 'Find', exact: true }).click()
      await seen(page, 'Found in 1 entry.')
      await page.locator('.timeline-row').first().waitFor()
    },
  },
  {
    name: 'charts with tools and delivery, as tables too',
    path: ({ working }) => sessionPath(working.session, '?part=charts&seq=1'),
    async arrange(page, { working }) {
      await seen(page, 'look_up_the_weather')
      await page.locator('.connection[data-status="live"]').waitFor()
      await working.say({ kind: 'notice', level: 'info', text: 'Still here.' })
      await seen(page, /^From the log to this page/)
      for (const summary of await page.locator('.chart-summary').all()) await summary.click()
      await page.getByRole('region', { name: 'Delivery as a table' }).waitFor()
    },
  },
  {
    name: 'a conversation',
    path: ({ conversation }) => `/conversations/${conversation}`,
    async arrange(page) {
      await page.getByRole('heading', { name: 'And in May?' }).waitFor()
      await page.getByLabel('Follow up in this conversation').waitFor()
      await page.locator('.turn li').nth(5).waitFor()
    },
  },
  {
    name: 'settings',
    path: () => '/',
    async arrange(page) {
      await page.getByRole('button', { name: 'Settings' }).click()
      await page.getByRole('dialog', { name: 'Settings' }).waitFor()
    },
  },
  {
    name: 'keys',
    path: ({ completed }) => sessionPath(completed),
    async arrange(page) {
      await page.getByRole('button', { name: 'Keys' }).click()
      await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    },
  },
  {
    name: 'an address with nothing behind it',
    path: () => '/',
    async arrange(page) {
      // The gateway has no page there: only the console itself leads to it.
      await page.evaluate(() => {
        history.pushState(null, '', '/nothing/here')
        dispatchEvent(new PopStateEvent('popstate'))
      })
      await seen(page, 'There is nothing at this address')
    },
  },
  {
    name: 'questions for somebody without a key',
    path: ({ asking }) => sessionPath(asking.session),
    isAnonymous: true,
    arrange: (page) => seen(page, /^Answering needs a key/),
  },
]

/** The gateway is gone. */
export const offlineScene: Scene = {
  name: 'a session whose gateway is gone',
  path: ({ working }) => sessionPath(working.session),
  arrange: (page) => seen(page, /^Offline, trying again/),
}
