import type { TextChannel, TextDelta } from '@sluice/protocol'
import { toPieces } from './pieces.ts'
import type { Step } from './script.ts'
import type { Stage } from './stage.ts'

/** Says texts piece by piece, each on an output of its own. */
export interface Speech {
  say(text: string, channel: TextChannel, parent?: string): Promise<void>
  /** Says numbered sections until there were so many pieces; `between` is done between them. Answers the text. */
  flood(flood: Extract<Step, { do: 'flood' }>, between: () => Promise<void>): Promise<string>
  /** How many pieces were said. */
  counts(): { readonly outputTokens: number; readonly reasoningTokens: number }
}

export function createSpeech(stage: Stage, language: string, pieceMs: number): Speech {
  let outputs = 0
  const said = { answer: 0, reasoning: 0 }

  const begin = (channel: TextChannel, parent: string | undefined) => {
    const output = `text_${++outputs}`
    const shared = {
      kind: 'text-delta',
      output,
      take: 0,
      channel,
      contentType: 'text/markdown',
      language,
      ...(parent === undefined ? {} : { meta: { parent } }),
    } as const
    const about = parent === undefined ? {} : { meta: { parent } }
    let position = 0
    return {
      async piece(text: string): Promise<void> {
        said[channel] += 1
        await stage.tell({ ...shared, text, position } satisfies TextDelta)
        position += [...text].length
        await stage.pause(pieceMs)
      },
      end: () => stage.close({ kind: 'text-end', output, take: 0, ...about }),
      cut: () => stage.close({ kind: 'text-end', output, take: 0, interrupted: true, ...about }),
    }
  }

  const speak = async (
    channel: TextChannel,
    parent: string | undefined,
    pieces: (piece: (text: string) => Promise<void>) => Promise<void>,
  ): Promise<void> => {
    const { piece, end, cut } = begin(channel, parent)
    try {
      await pieces(piece)
    } catch (error) {
      await cut()
      throw error
    }
    await end()
  }

  return {
    say: (text, channel, parent) =>
      speak(channel, parent, async (piece) => {
        for (const each of toPieces(text)) await piece(each)
      }),
    async flood({ pieces, title, section, text }, between) {
      let left = pieces
      let all = ''
      await speak('answer', undefined, async (piece) => {
        for (let number = 0; left > 0; number++) {
          const part = number === 0 ? `# ${title}\n\n` : `## ${section} ${number}\n\n${text}\n\n`
          const cut = toPieces(part).slice(0, left)
          for (const each of cut) await piece(each)
          left -= cut.length
          all += cut.join('')
          await between()
        }
      })
      return all
    },
    counts: () => ({ outputTokens: said.answer, reasoningTokens: said.reasoning }),
  }
}
