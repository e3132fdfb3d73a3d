import {
  type Choice,
  type JsonValue,
  type Meta,
  omitUndefined,
  type QuestionOpen,
  type RunAnswer,
  type TextChannel,
} from '@sluice/protocol'
import { runFailed } from '../run/create-run.ts'
import { toPieces } from './pieces.ts'
import type { Stage } from './stage.ts'
import { longPieces, type Story, type ToolUse } from './stories.ts'
import type { Words } from './words/en.ts'

export interface Play {
  /** Undefined: the long text. */
  readonly story: Story | undefined
  readonly words: Words
  readonly language: string
  readonly isResumed: boolean
  /** Multiplies the usual duration of every step; 0 for no delays. */
  readonly slowness: number
  readonly fails: boolean
  /** Asks nobody: takes the first choice, and does nothing irreversible. */
  readonly isQuiet: boolean
}

export interface Played {
  /** The last text. */
  readonly finalText: string
  readonly outputTokens: number
  readonly reasoningTokens: number
}

const pieceMs = 25
const maxHeard = 500

/** Plays a story to its end, always the same for the same answers. Rejects with `run_failed`. */
export async function playStory(play: Play, stage: Stage): Promise<Played> {
  const { words, language, slowness } = play
  const meta: Meta = { localization: { primary_language: language } }
  const counts = { outputs: 0, calls: 0, questions: 0, answer: 0, reasoning: 0 }
  let chosen: Readonly<Record<string, string>> = {}

  /** Emits a text piece by piece on its own output, and returns the text. */
  const speak = async (
    pieces: Iterable<string> | AsyncIterable<string>,
    channel: TextChannel,
    parent?: string,
  ): Promise<string> => {
    const about = parent === undefined ? {} : { meta: { parent } }
    const shared = { output: `text_${++counts.outputs}`, take: 0, ...about }
    const look = { channel, contentType: 'text/markdown', language }
    let text = ''
    let position = 0
    let isWhole = false
    try {
      for await (const piece of pieces) {
        counts[channel] += 1
        await stage.tell({ kind: 'text-delta', ...shared, ...look, text: piece, position })
        text += piece
        position += [...piece].length
        await stage.pause(pieceMs * slowness)
      }
      isWhole = true
    } finally {
      await stage.close({ kind: 'text-end', ...shared, ...(isWhole ? {} : { interrupted: true }) })
    }
    return text
  }

  const answerMessages = async (): Promise<void> => {
    for (let text = stage.nextMessage(); text !== undefined; text = stage.nextMessage())
      await speak(toPieces(fill(words.heard, { text: [...text].slice(0, maxHeard).join('') })), 'answer')
  }

  const say = async (text: string, channel: TextChannel = 'answer', parent?: string): Promise<string> => {
    await answerMessages()
    return speak(toPieces(fill(text, chosen)), channel, parent)
  }

  /** Starts an item of the plan: -1 starts none, and one past the last ends the plan. */
  const work = async (plan: readonly string[], item: number): Promise<void> => {
    await answerMessages()
    const total = plan.length
    const text = plan[item]
    const statusOf = (index: number) =>
      index < item ? 'completed' : index === item ? 'in_progress' : 'pending'
    const items = plan.map((each, index) => ({ text: each, status: statusOf(index) }))
    await stage.tell({ kind: 'state-data', snapshot: { plan: items }, meta })
    if (item < 0) return
    const steps = { percent: Math.round((item / total) * 100), step: Math.min(item + 1, total), total }
    await stage.tell({ kind: 'progress', ...steps, ...omitUndefined({ text }), meta })
  }

  /** Uses tools in parallel. */
  const use = async (tools: readonly ToolUse[], parent?: string): Promise<void> => {
    await answerMessages()
    const about = { meta: parent === undefined ? meta : { ...meta, parent } }
    const begun = tools.map((each) => ({ ...each, call: `call_${++counts.calls}` }))
    for (const { call, tool, args, isIrreversible } of begun) {
      const danger = isIrreversible === true ? ({ risk: 'high', irreversible: true } as const) : {}
      await stage.tell({
        kind: 'tool-call',
        call,
        tool,
        args: fill<JsonValue>(args, chosen),
        ...danger,
        ...about,
      })
    }
    let passedMs = 0
    for (const { call, tool, takesMs, isFailed, helper, ...each } of begun.sort(bySpan)) {
      if (helper !== undefined) {
        await use([helper.tool], call)
        await say(helper.report, 'answer', call)
      }
      await stage.pause((takesMs - passedMs) * slowness)
      passedMs = takesMs
      const status = isFailed === true ? 'error' : 'success'
      const end = { result: fill(each.result, chosen), durationMs: takesMs * slowness }
      await stage.tell({ kind: 'tool-result', call, tool, status, ...end, ...about })
    }
  }

  const ask = async (question: Omit<QuestionOpen, 'kind' | 'token'>): Promise<RunAnswer> => {
    const token = `question_${++counts.questions}`
    await stage.tell({ kind: 'question-open', token, timeoutMs: 60_000, meta, ...fill(question, chosen) })
    for (;;) {
      await answerMessages()
      const answer = stage.answerTo(token)
      if (answer !== undefined) return answer
      await stage.listen()
    }
  }

  const choose = async ({ texts, choices }: Story): Promise<void> => {
    const [first] = choices
    chosen = first.words
    if (play.isQuiet) return
    const { response, decision } = await ask({
      ...{
        question: 'clarification',
        text: texts.question,
        kinds: ['multiple_choice'],
        default: first.value,
      },
      choices: choices.map(({ value, label }): Choice => ({ value, label })),
    })
    chosen = (choices.find(({ value }) => value === (response ?? decision)) ?? first).words
  }

  const isConfirmed = async ({ texts: { confirm, consequence } }: Story): Promise<boolean> => {
    if (play.isQuiet) return false
    const danger = {
      risk: 'high',
      irreversible: true,
      default: 'reject',
      allowed: ['accept', 'reject'],
    } as const
    const { decision } = await ask({ question: 'confirmation', text: confirm, consequence, ...danger })
    return decision === 'accept'
  }

  const failIfAsked = async (tools: readonly ToolUse[]): Promise<void> => {
    if (!play.fails) return
    await use(tools)
    throw runFailed('demo failed: it was asked to')
  }

  async function* longText({ title, section, text }: Words['long']): AsyncGenerator<string> {
    for (let number = 0, left = longPieces; left > 0; number++) {
      const part = number === 0 ? `# ${title}\n\n` : `## ${section} ${number}\n\n${text}\n\n`
      const pieces = toPieces(part).slice(0, left)
      yield* pieces
      left -= pieces.length
      await answerMessages()
    }
  }

  const playLong = async (): Promise<string> => {
    const plan = [words.long.plan]
    await work(plan, -1)
    await work(plan, 0)
    await failIfAsked([])
    const text = await speak(longText(words.long), 'answer')
    await work(plan, 1)
    return text
  }

  const playSteps = async (story: Story): Promise<string> => {
    const { texts, tools } = story
    await work(texts.plan, -1)
    await work(texts.plan, 0)
    await use(tools.first)
    await say(texts.thought, 'reasoning')
    if (texts.found !== '') await say(texts.found)
    await choose(story)
    await work(texts.plan, 1)
    await use(tools.second)
    await failIfAsked([tools.failing])
    await work(texts.plan, 2)
    await use([tools.task])
    await say(texts.answer)
    const items = story.sources.map((item) => fill<JsonValue>(item, chosen))
    await stage.tell({ kind: 'sources', items })
    await work(texts.plan, 3)
    const isAllowed = await isConfirmed(story)
    if (isAllowed) await use([tools.last])
    const text = await say(isAllowed ? texts.done : texts.kept)
    await work(texts.plan, 4)
    return text
  }

  await stage.tell({ kind: 'state-change', to: 'thinking', meta })
  if (play.isResumed) await say(words.again)
  const finalText = await (play.story === undefined ? playLong() : playSteps(play.story))
  await answerMessages()
  return { finalText, outputTokens: counts.answer, reasoningTokens: counts.reasoning }
}

const bySpan = (one: ToolUse, other: ToolUse): number => one.takesMs - other.takesMs

/** Replaces `{name}` in all texts of a JSON value. */
function fill<T>(value: T, words: Readonly<Record<string, string>>): T {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' ? member.replace(/\{(\w+)\}/g, (whole, name) => words[name] ?? whole) : member,
  )
}
