import type { Progress } from '../../events.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { carryEvent, cut, toMilliseconds } from './bounds.ts'
import type { FrameBody } from './draft.ts'
import { carriedOf, coreBody } from './encode-session.ts'
import type { Speaker, Spoken } from './sentences.ts'
import { maxTerse } from './wire/vocabulary.ts'

export function progressBody(event: Progress, speaker: Speaker): FrameBody {
  const { percent, step, total, text, etaMs } = event
  const isCounted = step !== undefined && step >= 1
  const isTotal = total !== undefined && total >= 1
  const left = countdownOf(event)
  const countdown = left === undefined ? undefined : sayCountdown(left.leftMs, speaker)
  const said = text === undefined || countdown !== undefined ? '' : cut(text, maxTerse)
  const isEmpty = percent === undefined && !isCounted && !isTotal && said === ''
  // The producer's own description says more than the numbers.
  const spoken = countdown ?? (said === '' ? sayNumbers(event, speaker) : undefined)
  const description = said || (isEmpty ? spoken?.normal : undefined)
  const eta_ms = etaMs === undefined ? undefined : toMilliseconds(etaMs)
  const isLossy =
    isCounted !== (step !== undefined) ||
    isTotal !== (total !== undefined) ||
    description !== text ||
    eta_ms !== etaMs
  return coreBody('agent.progress.updated', {
    urgency: 'background',
    fields: {
      progress: {
        ...omitUndefined({ percent }),
        ...(isCounted ? { step } : {}),
        ...(isTotal ? { total_steps: total } : {}),
        ...omitUndefined({ description }),
      },
      eta_ms,
    },
    spoken,
    hasText: said !== '',
    ...carriedOf(
      isLossy ? carryEvent(event) : undefined,
      left === undefined ? undefined : { countdown: left },
    ),
  })
}

type Countdown = { readonly token: string; readonly leftMs: number }

/** Which question stays open and for how long, if the gateway says so. */
function countdownOf({ meta }: Progress): Countdown | undefined {
  const { countdown: token, leftMs } = meta?.ext?.['sluice'] ?? {}
  if (typeof token !== 'string' || typeof leftMs !== 'number' || !(leftMs >= 0)) return undefined
  return { token, leftMs }
}

function sayCountdown(leftMs: number, speaker: Speaker): Spoken {
  const seconds = Math.max(1, Math.round(leftMs / 1000))
  if (seconds < 120) return speaker.say('secondsToAnswer', { count: seconds })
  const minutes = Math.round(seconds / 60)
  return minutes < 120
    ? speaker.say('minutesToAnswer', { count: minutes })
    : speaker.say('hoursToAnswer', { count: Math.round(minutes / 60) })
}

function sayNumbers({ percent, step, total }: Progress, speaker: Speaker): Spoken {
  const done = percent === undefined ? undefined : Math.round(percent)
  if (step === undefined || step < 1)
    return done === undefined ? speaker.say('goesOn') : speaker.say('percent', { percent: done })
  if (total === undefined || total < step) return speaker.say('step', { step })
  return done === undefined
    ? speaker.say('stepOfTotal', { step, total })
    : speaker.say('stepOfTotalAndPercent', { step, total, percent: done })
}
