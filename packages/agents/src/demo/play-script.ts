import type { JsonValue, Meta, TextChannel } from '@sluice/protocol'
import { runFailed } from '../run/create-run.ts'
import { createQuestions } from './questions.ts'
import { fill, type Script, type Step, type ToolUse } from './script.ts'
import { createSpeech } from './speech.ts'
import type { Stage } from './stage.ts'

export interface Play {
  readonly script: Script
  readonly language: string
  /** What is said of a message; `{text}` is what it says. */
  readonly heard: string
  /** How much time everything takes, as a multiple of the usual; 0 takes none. */
  readonly slowness: number
  readonly fails: boolean
  /** Nobody is asked: the first choice counts, and what cannot be undone is not done. */
  readonly isQuiet: boolean
}

export interface Played {
  /** The text that was said last. */
  readonly finalText: string
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** With which a run fails that was asked to. */
const askedFailure = 'demo failed: it was asked to'
const pieceMs = 25
const maxHeard = 500

/** Plays a story to its end, the same for the same answers. Rejects with `run_failed`, also when the curtain falls. */
export async function playScript(play: Play, stage: Stage): Promise<Played> {
  const speech = createSpeech(stage, play.language, pieceMs * play.slowness)
  const localization = { primary_language: play.language }
  let chosen: Readonly<Record<string, string>> = {}
  let plan: readonly string[] = []
  let calls = 0
  let finalText = ''

  const metaOf = (parent: string | undefined): Meta => ({
    localization,
    ...(parent === undefined ? {} : { parent }),
  })

  const answerMessages = async (): Promise<void> => {
    for (let text = stage.nextMessage(); text !== undefined; text = stage.nextMessage())
      await speech.say(fill(play.heard, { text: [...text].slice(0, maxHeard).join('') }), 'answer')
  }

  const questions = createQuestions(stage, { language: play.language, isQuiet: play.isQuiet }, answerMessages)

  const say = async (text: string, channel: TextChannel, parent: string | undefined): Promise<void> => {
    const filled = fill(text, chosen)
    await speech.say(filled, channel, parent)
    if (channel === 'answer' && parent === undefined) finalText = filled
  }

  const showPlan = async (item: number): Promise<void> => {
    const statusOf = (index: number): string =>
      index < item ? 'completed' : index === item ? 'in_progress' : 'pending'
    const items = plan.map((text, index) => ({ text, status: statusOf(index) }))
    await stage.tell({ kind: 'state-data', snapshot: { plan: items }, meta: { localization } })
  }

  const work = async (item: number): Promise<void> => {
    const total = plan.length
    const text = plan[item]
    await showPlan(item)
    await stage.tell({
      kind: 'progress',
      percent: Math.round((item / total) * 100),
      step: Math.min(item + 1, total),
      total,
      ...(text === undefined ? {} : { text }),
      meta: { localization },
    })
  }

  const use = async (tools: readonly ToolUse[], parent: string | undefined): Promise<void> => {
    const meta = metaOf(parent)
    const begun = tools.map((use) => ({ ...use, call: `call_${++calls}` }))
    for (const { call, tool, args, isIrreversible } of begun)
      await stage.tell({
        kind: 'tool-call',
        call,
        tool,
        args: fill<JsonValue>(args, chosen),
        ...(isIrreversible === true ? { risk: 'high', irreversible: true } : {}),
        meta,
      })
    let passedMs = 0
    for (const use of begun.sort((one, other) => one.takesMs - other.takesMs)) {
      const { call, tool, takesMs, result, status = 'success', exitCode, steps = [] } = use
      await playSteps(steps, call)
      await stage.pause((takesMs - passedMs) * play.slowness)
      passedMs = takesMs
      await stage.tell({
        kind: 'tool-result',
        call,
        tool,
        status,
        result: fill(result, chosen),
        ...(exitCode === undefined ? {} : { exitCode }),
        durationMs: takesMs * play.slowness,
        meta,
      })
    }
  }

  const isConfirmed = ({ text, consequence }: Extract<Step, { do: 'confirm' }>): Promise<boolean> =>
    questions.confirm(fill(text, chosen), fill(consequence, chosen))

  const playStep = async (step: Step, parent: string | undefined): Promise<void> => {
    switch (step.do) {
      case 'plan':
        plan = step.items
        return showPlan(-1)
      case 'work':
        return work(step.item)
      case 'think':
        return say(step.text, 'reasoning', parent)
      case 'say':
        return say(step.text, 'answer', parent)
      case 'flood':
        finalText = await speech.flood(step, answerMessages)
        return
      case 'use':
        return use(step.tools, parent)
      case 'cite':
        return stage.tell({ kind: 'sources', items: step.items.map((item) => fill<JsonValue>(item, chosen)) })
      case 'choose':
        chosen = (await questions.choose(step)).words
        return
      case 'confirm':
        return playSteps((await isConfirmed(step)) ? step.accepted : step.refused, parent)
      case 'fail':
        if (!play.fails) return
        await playSteps(step.steps, parent)
        throw runFailed(askedFailure)
    }
  }

  const playSteps = async (steps: Script, parent: string | undefined): Promise<void> => {
    for (const step of steps) {
      await answerMessages()
      await playStep(step, parent)
    }
  }

  await stage.tell({ kind: 'state-change', to: 'thinking', meta: { localization } })
  await playSteps(play.script, undefined)
  await answerMessages()
  return { finalText, ...speech.counts() }
}
