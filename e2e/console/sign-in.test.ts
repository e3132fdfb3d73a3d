import { join } from 'node:path'
import { createClient } from '@sluice/client'
import { addKey, revokeKey } from '@sluice/gateway/admin'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveBlankPage } from '../hostile/blank-page.ts'
import { until } from '../testing/until.ts'
import { chromium, openStage, type Stage } from './stage.ts'

describe.skipIf(chromium === undefined)('signing in to the console', () => {
  let stage: Stage
  let keyFile = ''
  beforeAll(async () => {
    stage = await openStage()
    keyFile = join(stage.gateway.data, 'keys.json')
  })
  afterAll(async () => {
    await stage?.close()
  })

  const makeKey = (subject: string, grants = ['subscribe:*']) =>
    addKey(keyFile, { subject, grants, createdAt: Date.now() })
  const signedIn = (page: Page, name: string) =>
    page.locator('.header-who').getByText(name, { exact: true }).waitFor()
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Sign in as somebody else?' })
  /** Opens a link in a page that shows the console, without a reload. */
  const openLink = (page: Page, key: string) => page.evaluate(`location.hash = 'token=${key}'`)
  const keptToken = async (page: Page): Promise<string> =>
    JSON.parse((await page.evaluate<string | null>(`localStorage.getItem('sluice.login')`)) ?? '{}').token
  const whoIs = (token: string) => createClient({ url: stage.gateway.url, token }).whoAmI()

  test('by a link keeps the login for all tabs, and neither the key nor a cookie', async () => {
    const page = await stage.open('/')
    await signedIn(page, 'local')
    expect(page.url()).toBe(`${stage.gateway.url}/`)
    const storage = JSON.stringify(await page.context().storageState())
    expect(storage).not.toContain(stage.gateway.localKey)
    expect(await page.context().cookies()).toEqual([])
    await page.reload()
    await signedIn(page, 'local')
    const tab = await page.context().newPage()
    await tab.goto(`${stage.gateway.url}/`)
    await signedIn(tab, 'local')
    expect(await whoIs(await keptToken(page))).toMatchObject({ subject: 'local', via: 'login' })
  })

  test('tells a program on another port of the host nothing', async () => {
    const page = await stage.open('/')
    await signedIn(page, 'local')
    const stranger = await serveBlankPage()
    const tab = await page.context().newPage()
    const request = tab.waitForRequest(`${stranger.url}/`)
    await tab.goto(stranger.url)
    expect(Object.keys(await (await request).allHeaders())).not.toContain('cookie')
    expect(await tab.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).toBe('[{},""]')
    await stranger.close()
  })

  test('by a link of somebody else asks first, and changes nothing when it is closed', async () => {
    const page = await stage.open('/')
    await signedIn(page, 'local')
    const { key } = makeKey('eve')
    const before = await keptToken(page)
    for (const open of [
      () => openLink(page, key),
      async () => {
        await page.goto('about:blank')
        await page.goto(`${stage.gateway.url}/#token=${key}`)
      },
    ]) {
      await open()
      const dialog = dialogOf(page)
      await dialog.waitFor()
      expect(page.url()).toBe(`${stage.gateway.url}/`)
      const text = await dialog.textContent()
      expect(text).toContain('You are signed in as local.')
      expect(text).toContain('signs you in as eve, who may read.')
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Stay local')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await signedIn(page, 'local')
      expect(await keptToken(page)).toBe(before)
    }
    await openLink(page, key)
    await dialogOf(page).waitFor()
    await page.keyboard.press('Enter')
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(await keptToken(page)).toBe(before)
  })

  test('as somebody else, once that is wanted, ends the login before', async () => {
    const page = await stage.open('/')
    await signedIn(page, 'local')
    const before = await keptToken(page)
    await openLink(page, makeKey('eve').key)
    await page.getByRole('button', { name: 'Sign in as eve' }).click()
    await signedIn(page, 'eve')
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(await whoIs(await keptToken(page))).toMatchObject({ subject: 'eve' })
    await expect(whoIs(before)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('by a link of the same person, or with a wrong key, leaves everything as it is', async () => {
    const page = await stage.open('/')
    await signedIn(page, 'local')
    const before = await keptToken(page)
    await openLink(page, 'sluice_wrong')
    await page.getByText('You are still signed in as before.').waitFor()
    expect(page.url()).toBe(`${stage.gateway.url}/`)
    const answered = page.waitForResponse('**/v1/login')
    await openLink(page, stage.gateway.localKey)
    await answered
    await signedIn(page, 'local')
    expect(await dialogOf(page).count()).toBe(0)
    expect(await keptToken(page)).toBe(before)
  })

  test('ends in every tab and at the gateway with signing out', async () => {
    const page = await stage.open('/')
    const tab = await page.context().newPage()
    await tab.goto(`${stage.gateway.url}/`)
    await signedIn(tab, 'local')
    const token = await keptToken(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const each of [page, tab]) await each.getByRole('button', { name: 'Sign in' }).waitFor()
    await expect(whoIs(token)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await page.evaluate(`localStorage.getItem('sluice.login')`)).toBeNull()
  })

  test('survives a restart of the gateway', async () => {
    const page = await stage.open('/')
    await signedIn(page, 'local')
    const token = await keptToken(page)
    await stage.gateway.terminate()
    await stage.gateway.restart()
    await page.reload()
    await signedIn(page, 'local')
    expect(await keptToken(page)).toBe(token)
  })

  test('is over, and says so, when the key was revoked', async () => {
    const page = await stage.open('/', { isAnonymous: true })
    const { id, key } = makeKey('ada', ['*:*'])
    await openLink(page, key)
    await signedIn(page, 'ada')
    revokeKey(keyFile, id)
    await page.getByLabel('What should it do?').fill('Fix the failing test')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('status').getByText('You are no longer signed in.').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await until(async () => (await keptToken(page)) === undefined)
  })

  test('causes no error and breaks no policy', () => expect(stage.faults).toEqual([]))
})
