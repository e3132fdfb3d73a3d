import { createClient } from '@sluice/client'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createAnnouncements } from './announcements.ts'
import { Announcer } from './announcer.tsx'
import { LiveRegions } from './live-regions.tsx'
import type { Announced } from './use-announcements.ts'

/** A client that must not be used. */
const client = createClient({
  url: 'http://gateway.invalid',
  fetch: () => {
    throw new Error('it was asked for something')
  },
})
const announcements = createAnnouncements({
  client,
  session: 'sess_a',
  verbosity: 'normal',
  languages: ['en'],
})

/** The regions of a page as [attributes, lines]. */
function regionsOf(announced: Partial<Announced> = {}) {
  const given = { ...announcements.getSnapshot(), announcements, series: 0, ...announced }
  const html = renderToString(<LiveRegions announced={given} />)
  const [, polite = '', assertive = ''] = html.split(/(?=<div[^>]*data-part="(?:polite|assertive)")/)
  const linesOf = (region: string) => region.match(/<p.*?<\/p>/g) ?? []
  return { polite, assertive, politeLines: linesOf(polite), assertiveLines: linesOf(assertive) }
}

const utterances = Array.from({ length: 120 }, (_, index) => ({
  id: index + 1,
  text: `Line ${index + 1}`,
  language: 'en',
  isCritical: index % 2 === 1,
}))

test('both regions are there from the first render on, empty, and rendering asks for nothing', () => {
  const html = renderToString(
    <StrictMode>
      <Announcer client={client} session="sess_a" className="visually-hidden" />
    </StrictMode>,
  )
  expect(html).toContain('class="visually-hidden"')
  expect(html).toContain(
    '<div role="log" aria-live="polite" aria-relevant="additions" aria-atomic="false" data-part="polite"></div>',
  )
  expect(html).toContain(
    '<div aria-live="assertive" aria-relevant="additions" aria-atomic="false" data-part="assertive"></div>',
  )
})

test('an utterance is in one region only, with its language and direction', () => {
  const { politeLines, assertiveLines } = regionsOf({
    utterances: [
      { id: 1, text: 'مرحبا <b>', language: 'ar', isCritical: false },
      { id: 2, text: 'Fire!', language: 'en', isCritical: true },
    ],
  })
  expect(politeLines).toEqual(['<p lang="ar" dir="auto">مرحبا &lt;b&gt;</p>'])
  expect(assertiveLines).toEqual(['<p lang="en" dir="auto">Fire!</p>'])
})

test('a region keeps its last fifty', () => {
  const { politeLines, assertiveLines } = regionsOf({ utterances })
  expect([politeLines.length, assertiveLines.length]).toEqual([50, 50])
  expect(politeLines.at(-1)).toContain('>Line 119<')
  expect(assertiveLines.at(0)).toContain('>Line 22<')
})

test('while a voice speaks both are off, and what was left to it stays out of them afterwards', () => {
  const spoken = regionsOf({ utterances, isSpoken: true })
  expect(spoken.polite).toContain('aria-live="off"')
  expect(spoken.assertive).toContain('aria-live="off"')
  const live = regionsOf({ utterances, spokenUpTo: 118 })
  expect(live.polite).toContain('aria-live="polite"')
  expect([live.politeLines.length, live.assertiveLines.length]).toEqual([1, 1])
})
