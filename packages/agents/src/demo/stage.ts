import type { Clock, RunAnswer, SluiceEvent, Timer } from '@sluice/protocol'
import { type RunSink, runFailed } from '../run/create-run.ts'

/** Where a story is played: what it says goes out, time passes, and people may speak in between. */
export interface Stage {
  /** Rejects with `run_failed` once the curtain is down, as all the waiting does. */
  tell(event: SluiceEvent): Promise<void>
  /** What is told even then: the end of something that was begun. */
  close(event: SluiceEvent): Promise<void>
  pause(ms: number): Promise<void>
  /** Until somebody says something. */
  listen(): Promise<void>
  /** Takes the answer to a question that was told, if it has come. */
  answerTo(token: string): RunAnswer | undefined
  /** Takes the next message of the user. */
  nextMessage(): string | undefined
}

/** The other side of a stage. */
export interface StageDoor {
  readonly stage: Stage
  answer(answer: RunAnswer): void
  message(text: string): void
  /** Whatever the story is at, it ends, for this reason. */
  lowerCurtain(reason: string): void
}

export function openStage(sink: RunSink, clock: Clock): StageDoor {
  const asked = new Set<string>()
  const answers = new Map<string, RunAnswer>()
  const messages: string[] = []
  let reason: string | undefined
  let timer: Timer | undefined
  let wake = (): void => {}
  let isListening = false
  /** Something was said since it was listened for the last time. */
  let hasNews = false

  const assertOpen = (): void => {
    if (reason !== undefined) throw runFailed(reason)
  }

  const hear = (): void => {
    hasNews = true
    if (isListening) wake()
  }

  const wait = async (ms: number | undefined): Promise<void> => {
    assertOpen()
    isListening = ms === undefined
    await new Promise<void>((resolve) => {
      wake = resolve
      timer = ms === undefined ? undefined : clock.after(ms, resolve)
    })
    isListening = false
    assertOpen()
  }

  return {
    stage: {
      async tell(event) {
        assertOpen()
        if (event.kind === 'question-open') asked.add(event.token)
        await sink.emit({ type: 'events', events: [event] })
        assertOpen()
      },
      close: (event) => sink.emit({ type: 'events', events: [event] }),
      pause: async (ms) => {
        if (ms > 0) await wait(ms)
      },
      listen: async () => {
        if (!hasNews) await wait(undefined)
        hasNews = false
      },
      answerTo: (token) => answers.get(token),
      nextMessage: () => messages.shift(),
    },
    answer(answer) {
      if (!asked.delete(answer.token)) return
      answers.set(answer.token, answer)
      hear()
    },
    message(text) {
      messages.push(text)
      hear()
    },
    lowerCurtain(why) {
      reason ??= why
      timer?.clear()
      wake()
    },
  }
}
