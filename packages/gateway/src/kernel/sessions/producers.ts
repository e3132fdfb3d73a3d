import type { ProducerMark } from '@sluice/log'
import { SluiceError } from '@sluice/protocol'

/** A batch of events that its producer numbered: `seq` is the number of the first. */
export interface ProducerClaim {
  readonly name: string
  readonly epoch: number
  readonly seq: number
}

const namePattern = /^[!-+\--:<-~]{1,128}$/
const headerPattern = /^([^;,\s]+)\s*;\s*epoch=(\d{1,15})\s*;\s*seq=(\d{1,15})$/

/** Whether this is a valid producer name, as used in headers. */
export function isProducerName(name: string): boolean {
  return namePattern.test(name)
}

/** Reads `NAME; epoch=0; seq=41`, or throws `bad_request`. */
export function parseProducer(header: string): ProducerClaim {
  const [, name, epoch, seq] = headerPattern.exec(header.trim()) ?? []
  if (name === undefined || !isProducerName(name))
    throw new SluiceError('bad_request', {
      message: 'Sluice-Producer must be of the form NAME; epoch=0; seq=0.',
    })
  return { name, epoch: Number(epoch), seq: Number(seq) }
}

/**
 * How many events at the head of a numbered batch are already stored. Throws `producer_fenced` for a lower
 * epoch and `producer_gap` for a number beyond the next one.
 */
export function countTaken(known: ProducerMark | undefined, claim: ProducerClaim): number {
  if (known !== undefined && claim.epoch < known.epoch)
    throw new SluiceError('producer_fenced', { details: { producer: claim.name, epoch: known.epoch } })
  const isSameEpoch = known !== undefined && claim.epoch === known.epoch
  const expected = isSameEpoch ? known.seq + 1 : 0
  if (claim.seq > expected)
    throw new SluiceError('producer_gap', {
      details: { producer: claim.name, epoch: claim.epoch, expected, received: claim.seq },
    })
  return expected - claim.seq
}
