import type { Entry } from '@sluice/protocol'

/** The texts that a session holds as its answer, whole, as its entries tell them: a text a take. */
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
