import { isTest, type Source } from './source.ts'

/** The files that read the time of the platform directly, and why. */
const OWN_TIME: Readonly<Record<string, string>> = {
  'packages/protocol/src/system-clock.ts': 'It is the one Clock of the platform.',
  'packages/react/src/question/use-time-left.ts': 'A hook that renders again every second; it has no clock.',
  'apps/console/src/access/access.tsx': 'The console runs in browsers alone; its pages have no clock.',
  'apps/console/src/shell/use-now.ts': 'A hook that renders again at intervals; it has no clock.',
}

/** Places outside tests that read the time directly instead of through Clock. */
function ownTimes({ path, text }: Source): readonly string[] {
  if (isTest(path) || path.includes('/testing/')) return []
  const direct =
    /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b/g
  return [...text.matchAll(direct)].map(([match]) => `${path}: ${match} is not read through Clock`)
}

/** Direct reads in `sources` that OWN_TIME does not allow, and files in OWN_TIME without any. */
export function strayTimes(
  sources: readonly Source[],
  allowed: Readonly<Record<string, string>> = OWN_TIME,
): readonly string[] {
  const isUsed = (path: string) =>
    sources.some((source) => source.path === path && ownTimes(source).length > 0)
  return [
    ...sources.filter(({ path }) => !Object.hasOwn(allowed, path)).flatMap(ownTimes),
    ...Object.keys(allowed)
      .filter((path) => !isUsed(path))
      .map((path) => `${path}: reads no time, so it needs no place on the list`),
  ]
}

/** The files that calculate with the time of day, and why. Everything else has no use for a difference of it. */
const WALL_TIME: Readonly<Record<string, string>> = {
  'packages/client/src/stay-connected.ts': 'Tells people when it tries again.',
  'packages/react/src/session/session-store.ts': 'Tells people when it tries again.',
  'packages/react/src/question/use-time-left.ts': 'Starts to count down from a stored deadline.',
  'packages/gateway/src/kernel/sessions/session-time.ts': 'Turns steps of the clock into a time of entries.',
  'packages/gateway/src/kernel/time-since.ts': 'Bounds how long ago a stored time is.',
  'packages/gateway/src/features/retention/cautious-time.ts': 'Bounds what a step of the clock removes.',
  'packages/gateway/src/access/logins.ts': 'Compares with the expiry of a login.',
  'packages/gateway/src/access/remember-jwt.ts': 'Compares with the expiry of a token.',
  'packages/gateway/src/access/credential.ts': 'Compares with the expiry of a credential.',
  'packages/gateway/src/access/authenticator.ts': 'Sets the expiry of a credential.',
  'packages/gateway/src/faces/native/ws/connection.ts': 'Waits for the expiry of a credential.',
  'packages/cli/src/commands/token.ts': 'Sets the expiry of a key.',
  'packages/log/src/drivers/lmdb/owner-lock.ts': 'Compares with the time of a file.',
  'apps/console/src/access/access.tsx': 'Waits for the expiry of a login.',
}

const wallNow = String.raw`(?:\b[\w.]*\bclock|\bDate)\.now\(\)`
const operator = '(?:[-+/*]|(?<!=)[<>]=?)'

/** Places outside tests that add, subtract or compare the time of day. */
function wallSums({ path, text }: Source): readonly string[] {
  if (isTest(path) || path.includes('/testing/')) return []
  const names = [...text.matchAll(new RegExp(`\\b(\\w+) = ${wallNow}(?=\\n|;|$)`, 'g'))].map(
    ([, name]) => name,
  )
  const terms = [wallNow, ...names.map((name) => `(?<![\\w.])${name}\\b(?!:)`)]
  return terms.flatMap((term) => {
    const sum = new RegExp(`${term} ${operator} |[^=] ${operator} ${term}`)
    const found = sum.exec(text)?.[0]
    return found === undefined ? [] : [`${path}: ${found.trim()} is no duration, see Clock.monotonic()`]
  })
}

/** Calculations with the time of day that WALL_TIME does not allow, and files in WALL_TIME without any. */
export function wallDurations(
  sources: readonly Source[],
  allowed: Readonly<Record<string, string>> = WALL_TIME,
): readonly string[] {
  const isUsed = (path: string) =>
    sources.some((source) => source.path === path && wallSums(source).length > 0)
  return [
    ...sources.filter(({ path }) => !Object.hasOwn(allowed, path)).flatMap(wallSums),
    ...Object.keys(allowed)
      .filter((path) => !isUsed(path))
      .map((path) => `${path}: calculates with no time of day, so it needs no place on the list`),
  ]
}
