import { type ChildProcess, spawn } from 'node:child_process'
import type { SpeechProgram } from './find-speech.ts'

/** Speaks one text at a time. */
export interface Voice {
  /** Resolves when the text was spoken or stopped. Never rejects: `onFailure` reports a failure once. */
  speak(text: string, language: string | undefined): Promise<void>
  /** Stops speaking; false when nothing is being spoken. */
  stop(): boolean
}

export interface VoiceOptions {
  readonly program: SpeechProgram
  readonly rateWpm?: number | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called once, when the program cannot speak. */
  onFailure(): void
}

export function createVoice({ program, rateWpm, env, onFailure }: VoiceOptions): Voice {
  /** Languages for which the program has no voice. */
  const missing = new Set<string>()
  let child: ChildProcess | undefined
  let hasFailed = false

  /** Whether the program spoke to the end or was stopped; false when it failed. */
  function run(text: string, language: string | undefined): Promise<boolean> {
    const started = spawn(program.path, program.toArgs(rateWpm, language), {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: withoutSecrets(env),
    })
    child = started
    return new Promise((resolve) => {
      const end = (hasSpoken: boolean): void => {
        if (child === started) child = undefined
        resolve(hasSpoken)
      }
      started.on('error', () => end(false))
      started.on('exit', (code, signal) => end(code === 0 || signal !== null))
      // A program that ends before it has read everything closes the pipe; its exit code says why.
      started.stdin.on('error', () => {})
      started.stdin.end(`${toInert(text)}\n`)
    })
  }

  return {
    async speak(text, language) {
      if (hasFailed) return
      const wanted = language === undefined || missing.has(language) ? undefined : language
      if (await run(text, wanted)) return
      if (wanted !== undefined) {
        missing.add(wanted)
        if (await run(text, undefined)) return
      }
      hasFailed = true
      onFailure()
    },
    stop() {
      const stopped = child
      child = undefined
      return stopped?.kill('SIGTERM') === true
    },
  }
}

/** `say` interprets [[…]] as commands. */
function toInert(text: string): string {
  return text.replaceAll('[[', '[ [')
}

function withoutSecrets(env: VoiceOptions['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SLUICE_')))
}
