// Takes the pictures of the console in docs/images/ with Chromium: `node scripts/take-pictures.mjs`, after
// setup. The demo agent of a separate gateway plays what they show.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '../packages/client/dist/index.js'
import { launchChromium } from './launch-chromium.mjs'

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url))
const LAUNCHER = fileURLToPath(new URL('../packages/cli/bin/sluice.js', import.meta.url))
const REQUEST = 'A weekend trip for two by train, please.'
const EARLIER = ['Fix the failing test of the invoices.', 'Ein Wochenende am Meer, bitte.']
const SIZE = { width: 1280, height: 800 }
const SCALE = 1.5

const browser = await launchChromium()
const data = await mkdtemp(join(tmpdir(), 'sluice-pictures-'))
const args = ['serve', '--data', data, '--port', '0', '--log-level', 'warn']
const gateway = spawn(process.execPath, [LAUNCHER, ...args], {
  env: { PATH: process.env.PATH },
  stdio: ['ignore', 'ignore', 'inherit'],
})
const exited = once(gateway, 'exit')
try {
  const url = await findGateway()
  const token = readFileSync(join(data, 'local.key'), 'utf8').trim()
  const client = createClient({ url, token })
  await Promise.all(EARLIER.map((prompt) => play(client, prompt)))
  const trip = await client.agents.run('demo', { prompt: REQUEST })
  const address = (query) => `${url}/sessions/${trip.id}${query}#token=${token}`
  const entry = await answerUntil(client, trip.id, ({ kind }) => kind === 'tool-call')
  const [light, dark] = [await openPage('light', address('')), await openPage('dark', address(''))]
  await takePicture('console.png', light, showQuestion)
  await takePicture('console-dark.png', dark, showQuestion)
  await answerUntil(client, trip.id, ({ kind }) => kind === 'session-end')
  await takePicture('console-timeline.png', await openPage('dark', address(`?seq=${entry}`)), showEntry)
} finally {
  await browser.close()
  gateway.kill('SIGTERM')
  await exited
  await rm(data, { recursive: true, force: true })
}

/** The gateway writes its address to its data directory. */
async function findGateway() {
  const file = join(data, 'gateway.json')
  while (!existsSync(file)) {
    if (gateway.exitCode !== null) throw new Error('the gateway did not start')
    await pause(20)
  }
  return JSON.parse(readFileSync(file, 'utf8')).url
}

/** Plays a run to its end. */
async function play(client, prompt) {
  const { id } = await client.agents.run('demo', { prompt })
  await answerUntil(client, id, ({ kind }) => kind === 'session-end')
}

/** Agrees to everything that is asked until an event matches; returns the number of its entry. */
async function answerUntil(client, session, isLast) {
  for await (const item of client.subscribe(session)) {
    if (item.type !== 'frame') continue
    for (const event of item.frame.events) {
      if (isLast(event)) return item.frame.seq
      if (event.kind === 'question-open') await client.answer(session, answerTo(event))
    }
  }
  throw new Error('the session ended before that')
}

function answerTo({ token, question, choices = [] }) {
  return question === 'confirmation'
    ? { token, decision: 'accept' }
    : { token, response: choices[0]?.value ?? '' }
}

async function openPage(colorScheme, address) {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: SCALE,
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  await page.goto(address)
  return page
}

/** Waits until the question is asked and announced. */
async function showQuestion(page) {
  await page.locator('[data-part=question][data-state=open]').waitFor()
  await page.locator('.caption', { hasText: 'Question' }).waitFor()
}

/** Shows the opened entry as AAEP clients receive it. */
async function showEntry(page) {
  await page.getByLabel('Dialect', { exact: true }).selectOption('aaep')
  await page.getByText('What is lost').waitFor()
  await page.getByText('In each dialect').evaluate((title) => title.scrollIntoView())
  await page.locator('.timeline-part').evaluate((part) => part.scrollIntoView())
}

async function takePicture(name, page, prepare) {
  await prepare(page)
  await page.screenshot({ path: join(IMAGES, name) })
  await page.context().close()
}
