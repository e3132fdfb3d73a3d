import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runSluice } from '../testing/run-sluice.ts'
import { type AaepPeer, startAaepPeer } from './testing/aaep-peer.ts'
import { hasPty, openPty, type Pty } from './testing/pty.ts'
import { chunk, clarification, confirmation, event } from './testing/scripted-session.ts'

let peer: AaepPeer
beforeEach(async () => {
  peer = await startAaepPeer()
})
afterEach(async () => {
  for (const pty of opened.splice(0)) pty.close()
  await peer.close()
})

const opened: Pty[] = []
function open(...given: Parameters<typeof openPty>): Pty {
  const pty = openPty(...given)
  opened.push(pty)
  return pty
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const completed = event('session.completed', { summary_normal: 'All done.' })
const listen = (...more: readonly string[]) => ['listen', 'sess_trip', '--gateway', peer.url, ...more]

describe.skipIf(!hasPty())('sluice listen on a terminal', () => {
  test('answers to keys, draws nothing, and gives the terminal back', async () => {
    const pty = open(listen())
    await pty.until('Press ? for the keys.')
    peer.send(chunk('# Plan\n\nGo *now*.\n'), chunk('```sh\nls\n```\n'), confirmation())
    await pty.until('Heading: Plan')
    await pty.until('Code block, 1 line, shell.')
    await pty.until('Question: Book two seats.')
    pty.press('w')
    await pty.until('Trip planner. Waiting for an answer. 1 open question.')
    pty.press('c')
    await pty.until('End of code.')
    pty.press('y')
    await pty.until('Answer sent: accept.')
    expect(await peer.nextReply()).toMatchObject({
      type: 'confirmation.reply',
      reply_token: 'rpl_seats',
      decision: 'accept',
      subscription_id: 'sub_1',
    })
    pty.press('q')
    expect(await peer.nextReply()).toMatchObject({ type: 'subscription.close' })
    expect(await pty.exited()).toBe(0)
    // No colour, no cursor, nothing that is written over, and no key is shown.
    expect(pty.screen().replaceAll('\r\n', '')).not.toMatch(/\p{Cc}/u)
    expect(pty.screen()).not.toMatch(/^[wcyq]$/m)
  })

  test('takes a typed answer, which the terminal itself shows and edits', async () => {
    const pty = open(listen())
    peer.send(clarification())
    await pty.until('Press a to type an answer.')
    pty.press('a')
    await pty.until('Type your answer')
    pty.press('the laat\u007f\u007fte one\n')
    await pty.until('Answer sent: the late one.')
    expect(await peer.nextReply()).toMatchObject({ type: 'clarification.reply', response: 'the late one' })
    pty.press('\u0003')
    expect(await pty.exited()).toBe(0)
  })

  test('stays after the end until q', async () => {
    const pty = open(listen('--language', 'de'))
    peer.send(completed)
    await pty.until('All done.')
    await pty.until('Mit q beenden.')
    pty.press('r')
    await pty.until('Mit q beenden.')
    pty.press('q')
    expect(await pty.exited()).toBe(0)
  })
})

describe('sluice listen on a pipe', () => {
  test('tells line by line to the end of the session, without keys', async () => {
    peer.send(chunk('One. Two. ', { complete: true }), confirmation({ timeout_seconds: 86_400 }), completed)
    const { code, stdout, stderr } = await runSluice(listen(), 'qqq')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      'One.\nTwo.\nQuestion: Book two seats. Consequence: Your card is charged 24 euros.\nAll done.\n',
    )
    expect(peer.request).toMatchObject({
      capabilities: { supports_confirmation_reply: false, preferred_verbosity: 'normal', languages: ['en'] },
      extensions: { sluice: { sessions: ['sess_trip'], after: 'start' } },
    })
  })

  test('asks for what its options say', async () => {
    peer.send(completed)
    const options = [
      '--rate',
      '120',
      '--verbosity',
      'terse',
      '--language',
      'pt-BR',
      '--language',
      'es',
      '--load',
      'low',
    ]
    await runSluice(listen(...options, '--from', 'now'))
    expect(peer.request).toMatchObject({
      capabilities: {
        pace_wpm: 120,
        preferred_verbosity: 'terse',
        languages: ['pt-BR', 'es'],
        cognitive_load: 'low',
      },
      extensions: { sluice: { after: 'now' } },
    })
  })

  test.each([
    { args: ['listen'], says: 'Usage: sluice listen SESSION' },
    { args: ['listen', 'sess_trip', '--rate', '9'], says: '--rate is a whole number from 50 to 1000' },
    { args: ['listen', 'sess_trip', '--language', '!'], says: '--language needs a language tag' },
    { args: ['listen', 'sess_trip', '--load', 'hgih'], says: 'Did you mean high?' },
  ])('answers $args with a hint', async ({ args, says }) => {
    const { code, stderr } = await runSluice(args)
    expect(code).toBe(2)
    expect(stderr).toContain(says)
  })

  test('says so when there is no such session', async () => {
    const { code, stderr } = await runSluice(['listen', 'sess_none', '--gateway', peer.url])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^sluice: .*session/i)
  })

  test('says so when the session has ended and nothing more can come', async () => {
    const ended = await startAaepPeer('ended')
    const { code, stdout } = await runSluice(['listen', 'sess_trip', '--gateway', ended.url, '--from', 'now'])
    await ended.close()
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The session has ended.\n' })
  })
})

describe.skipIf(!hasPty())('sluice listen --speak', () => {
  test('speaks through the program that is there, and q falls silent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-listen-'))
    const diary = join(folder, 'diary')
    const program = join(folder, 'espeak-ng')
    writeFileSync(
      program,
      `#!/bin/sh\necho "$@: $(cat)" >> ${diary}\ngrep -q Stay ${diary} && exec sleep 600\nexit 0\n`,
    )
    chmodSync(program, 0o755)
    const pty = open(listen('--speak', '--rate', '300'), { PATH: `${folder}:${process.env['PATH']}` })
    peer.send(chunk('One. Stay. Never. ', { complete: true }))
    await until(() => existsSync(diary) && readFileSync(diary, 'utf8').includes('Stay.'))
    pty.press('w')
    await pty.until('1 line behind.')
    pty.press('q')
    expect(await pty.exited()).toBe(0)
    expect(readFileSync(diary, 'utf8')).toContain('--stdin -s 300 -v en: One.\n--stdin -s 300 -v en: Stay.\n')
    expect(pty.screen()).not.toContain('Never.')
    rmSync(folder, { recursive: true, force: true })
  })
})
