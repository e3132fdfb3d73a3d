import type { SessionEnd, SluiceEvent } from '@sluice/protocol'
import { type TransportName, transports } from '../testing/transports.ts'

/** The frames of a session from its start to its end, as they are on the wire. */
export async function readTexts(
  url: string,
  session: string,
  {
    dialect,
    transport = 'ndjson',
  }: { readonly dialect: string; readonly transport?: TransportName | undefined },
): Promise<readonly string[]> {
  const texts: string[] = []
  const reading = transports[transport]({ url, session, dialect, after: '-1' }, ({ text }) =>
    texts.push(text),
  )
  await reading.opened
  const { how } = await reading.closed
  if (how !== 'ended') throw new Error(`the reading of ${session} was ${how}`)
  return texts
}

/** The frames of a session in a dialect whose frames are objects. */
export async function readFrames(
  url: string,
  session: string,
  dialect: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await readTexts(url, session, { dialect })).map((text) => JSON.parse(text))
}

/** The events of a session, as stored. */
export async function readEvents(url: string, session: string): Promise<readonly SluiceEvent[]> {
  const entries = await readFrames(url, session, 'sluice')
  return entries.flatMap(({ events }) => events as readonly SluiceEvent[]) // the gateway's own dialect
}

/** Waits for the end of a session and returns it. */
export async function readEnd(url: string, session: string): Promise<SessionEnd> {
  const last = (await readEvents(url, session)).at(-1)
  if (last?.kind !== 'session-end') throw new Error(`${session} has no end`)
  return last
}
