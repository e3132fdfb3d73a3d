import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findSpeech } from './find-speech.ts'
import { createVoice } from './voice.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-speech-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A program of this name that runs `body` of a shell script; `$log` is its diary. */
function install(name: string, body: string): void {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nlog=${join(folder, 'log')}\n${body}\n`)
  chmodSync(path, 0o755)
}

const env = () => ({
  ...process.env,
  PATH: `${folder}${delimiter}/usr/bin${delimiter}/bin`,
  SLUICE_TOKEN: 'secret',
})
const diary = (): string => readFileSync(join(folder, 'log'), 'utf8')

function open(rateWpm?: number) {
  let failures = 0
  const onFailure = (): void => {
    failures += 1
  }
  const voice = createVoice({ program: findSpeech({ PATH: folder }), rateWpm, env: env(), onFailure })
  return { voice, failures: () => failures }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('a program that speaks', () => {
  test('is espeak-ng before espeak before say, and a missing one is named', () => {
    expect(() => findSpeech({ PATH: folder })).toThrow(/espeak-ng, espeak or say.*apt install espeak-ng/)
    install('say', '')
    expect(findSpeech({ PATH: folder }).toArgs(200, 'fr')).toEqual(['-f', '-', '-r', '200'])
    install('espeak', '')
    expect(findSpeech({ PATH: folder }).path).toBe(join(folder, 'espeak'))
    install('espeak-ng', '')
    expect(findSpeech({ PATH: folder }).path).toBe(join(folder, 'espeak-ng'))
  })

  test('that may not be run does not count', () => {
    install('espeak-ng', '')
    chmodSync(join(folder, 'espeak-ng'), 0o644)
    expect(() => findSpeech({ PATH: folder })).toThrow()
  })
})

describe('a voice', () => {
  test('gets the text on standard input, with rate and language, and no secret', async () => {
    install('espeak-ng', 'echo "$@ [$SLUICE_TOKEN]: $(cat)" >> $log')
    const { voice } = open(220)
    await voice.speak('$(rm -rf x); "Hello" -- 你好', 'zh-Hant')
    await voice.speak('Plain.', undefined)
    expect(diary()).toBe(
      '--stdin -s 220 -v cmn []: $(rm -rf x); "Hello" -- 你好\n--stdin -s 220 []: Plain.\n',
    )
  })

  test('is broken off by stop', async () => {
    install('espeak-ng', 'cat > /dev/null\necho "started $$" >> $log\nexec sleep 600')
    const { voice, failures } = open()
    expect(voice.stop()).toBe(false)
    const speaking = voice.speak('A long story.', undefined)
    await until(() => existsSync(join(folder, 'log')))
    expect(voice.stop()).toBe(true)
    await speaking
    expect(failures()).toBe(0)
    const pid = Number(/started (\d+)/.exec(diary())?.[1])
    expect(() => process.kill(pid, 0)).toThrow()
  })

  test('without a voice for the language uses its own, and does not ask again', async () => {
    install('espeak-ng', 'case "$*" in *-v*) exit 1;; esac\necho "$@: $(cat)" >> $log')
    const { voice, failures } = open()
    await voice.speak('One.', 'tlh')
    await voice.speak('Two.', 'tlh')
    expect(diary()).toBe('--stdin: One.\n--stdin: Two.\n')
    expect(failures()).toBe(0)
  })

  test('that cannot speak says so once', async () => {
    install('espeak-ng', 'echo tried >> $log; exit 1')
    const { voice, failures } = open()
    await voice.speak('One.', undefined)
    await voice.speak('Two.', undefined)
    expect([failures(), diary()]).toEqual([1, 'tried\n'])
  })

  test('says no commands of say', async () => {
    install('say', 'cat >> $log')
    await open().voice.speak('a [[slnc 5000]] b', undefined)
    expect(diary()).toBe('a [ [slnc 5000]] b\n')
  })
})
