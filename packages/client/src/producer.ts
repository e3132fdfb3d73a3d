import { SluiceError } from '@sluice/protocol'
import { type Requester, readJson } from './requester.ts'

/** The name and the number under which events are published, so that none is stored twice. */
export interface ProducerPosition {
  readonly name: string
  readonly epoch: number
  /** The number of the next event. */
  readonly seq: number
}

/** A producer of a session. */
export interface ProducerPlace {
  readonly session: string
  readonly name: string
}

/** How far a producer has come, according to the gateway; undefined if it does not know the name. */
export async function readProducer(
  requester: Requester,
  { session, name }: ProducerPlace,
  signal: AbortSignal,
): Promise<{ readonly epoch: number; readonly seq: number } | undefined> {
  const answer = await requester.exchange({ path: ['sessions', session, 'producers', name], signal })
  if (answer.ok) return readJson(answer.response, signal)
  const { error } = answer
  if (error.code === 'unknown_producer' || error.code === 'unknown_session') return undefined
  throw error
}

/** Takes over a producer's name; its previous holder is fenced off. */
export async function claimProducer(
  requester: Requester,
  { session, name }: ProducerPlace,
  signal: AbortSignal,
): Promise<ProducerPosition> {
  const path = ['sessions', session, 'producers', name]
  const answer = await requester.exchange({ method: 'POST', path, signal })
  if (!answer.ok) throw answer.error
  const { epoch } = await readJson<{ readonly epoch: number }>(answer.response, signal)
  return { name, epoch, seq: 0 }
}

export function formatProducer({ name, epoch, seq }: ProducerPosition): string {
  return `${name}; epoch=${epoch}; seq=${seq}`
}

/** Refuses a name that the header cannot carry. */
export function assertProducerName(name: string): string {
  if (/^[!-+\--:<-~]{1,128}$/.test(name)) return name
  throw new SluiceError('bad_request', {
    message: 'The name of a producer is 1 to 128 printable ASCII characters without ";", "," and space.',
  })
}

/** A random name, so that no other producer has it. */
export function createProducerName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return `client-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
