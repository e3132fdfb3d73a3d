import { type Clock, pause, type RunAnswer, type SluiceEvent, untilAborted } from '@sluice/protocol'
import { type RunSink, runFailed } from '../run/create-run.ts'

/** Where a story is played. Everything except `close` rejects with `run_failed` once the curtain is down. */
export type Stage = ReturnType<typeof openStage>

export function openStage(sink: RunSink, clock: Clock) {
  const curtain = new AbortController()
  const { signal } = curtain
  const asked = new Set<string>()
  const answers = new Map<string, RunAnswer>()
  const messages: string[] = []
  let wake = (): void => {}
  let hasNews = false

  const hear = (): void => {
    hasNews = true
    wake()
  }

  return {
    async tell(event: SluiceEvent): Promise<void> {
      signal.throwIfAborted()
      if (event.kind === 'question-open') asked.add(event.token)
      await sink.emit({ type: 'events', events: [event] })
      signal.throwIfAborted()
    },
    /** Ends something that has started, even after the curtain is down. */
    close: (event: SluiceEvent): Promise<void> => sink.emit({ type: 'events', events: [event] }),
    async pause(ms: number): Promise<void> {
      if (ms > 0) await pause(ms, { clock, signal })
    },
    /** Resolves when somebody has answered or sent a message since the last call. */
    async listen(): Promise<void> {
      const listening = (resolve: () => void) => {
        wake = resolve
        return () => {
          wake = () => {}
        }
      }
      if (!hasNews) await untilAborted(signal, listening)
      hasNews = false
    },
    answerTo: (token: string): RunAnswer | undefined => answers.get(token),
    nextMessage: (): string | undefined => messages.shift(),
    answer(answer: RunAnswer): void {
      if (!asked.delete(answer.token)) return
      answers.set(answer.token, answer)
      hear()
    },
    message(text: string): void {
      messages.push(text)
      hear()
    },
    /** Ends the story at any point, for this reason. */
    lowerCurtain: (reason: string): void => curtain.abort(runFailed(reason)),
  }
}
