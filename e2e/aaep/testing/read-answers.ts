import type { Entry } from '@sluice/protocol'

/** The whole answer texts in the entries of a session: one text per take of an output. */
export async function readAnswers(url: string, session: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/v1/sessions/${session}/events?dialect=sluice&limit=1000`)
  const page = (await response.json()) as { readonly frames: readonly { readonly frame: Entry }[] } // a page
  const texts = new Map<string, string>()
  for (const { frame } of page.frames)
    for (const event of frame.events) {
      if (event.kind !== 'text-delta' || event.channel !== 'answer') continue
      const key = `${event.take} ${event.output}`
      texts.set(key, (texts.get(key) ?? '') + event.text)
    }
  return [...texts.values()].filter((text) => text !== '')
}
