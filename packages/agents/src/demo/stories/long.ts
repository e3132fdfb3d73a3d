import type { Script } from '../script.ts'
import type { DemoWords } from '../words/demo-words.ts'

/** How many pieces of text the long story has. */
export const longPieces = 10_000

/** Writes for a long time. */
export function longStory({ plan, title, section, text }: DemoWords['long']): Script {
  return [
    { do: 'plan', items: [plan] },
    { do: 'work', item: 0 },
    { do: 'fail', steps: [] },
    { do: 'flood', pieces: longPieces, title, section, text },
    { do: 'work', item: 1 },
  ]
}
