import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { SluiceError } from '@sluice/protocol'

/** A program that speaks what it reads from its standard input. */
export interface SpeechProgram {
  readonly path: string
  /** Its arguments for a rate in words a minute and a language. */
  toArgs(rateWpm: number | undefined, language: string | undefined): readonly string[]
}

const programs: Readonly<Record<string, SpeechProgram['toArgs']>> = {
  'espeak-ng': toEspeakArgs,
  espeak: toEspeakArgs,
  // It has voices but no option for a language: the one that the person has chosen stays.
  say: (rateWpm) => ['-f', '-', ...(rateWpm === undefined ? [] : ['-r', String(rateWpm)])],
}

/** The first program on the PATH that speaks, or the error `usage` that says what to install. */
export function findSpeech(env: Readonly<Record<string, string | undefined>>): SpeechProgram {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const [name, toArgs] of Object.entries(programs)) {
    const path = folders.map((folder) => join(folder, name)).find(isProgram)
    if (path !== undefined) return { path, toArgs }
  }
  throw new SluiceError('usage', {
    message:
      '--speak needs espeak-ng, espeak or say, but none is on the PATH. ' +
      'Install it with: apt install espeak-ng, or brew install espeak-ng.',
  })
}

function toEspeakArgs(rateWpm: number | undefined, language: string | undefined): readonly string[] {
  return [
    '--stdin',
    ...(rateWpm === undefined ? [] : ['-s', String(rateWpm)]),
    ...(language === undefined ? [] : ['-v', toEspeakVoice(language)]),
  ]
}

/** espeak-ng names Mandarin by its own code. */
function toEspeakVoice(language: string): string {
  const primary = language.split('-', 1)[0]?.toLowerCase() ?? ''
  return primary === 'zh' ? 'cmn' : primary
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
