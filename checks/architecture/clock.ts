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
