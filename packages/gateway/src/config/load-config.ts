import { SluiceError } from '@sluice/protocol'
import type { GatewayConfig } from './config.ts'
import { configFileName } from './config-file.ts'
import { checkRules } from './config-rules.ts'
import { type ConfigSources, readLayers } from './layers.ts'
import { mergeLayers } from './merge-layers.ts'
import { formatProblem, type Problem } from './origin.ts'
import { toPointer } from './settings.ts'

/**
 * The configuration of a gateway. For each setting, flags override environment variables, which override the
 * file, which overrides the defaults. Throws `bad_config` with a sentence for each faulty place: the key,
 * what was expected, and where the value came from.
 */
export async function loadConfig(sources: ConfigSources): Promise<GatewayConfig> {
  const problems: Problem[] = []
  const given = await readLayers(sources, problems)
  throwIfAny(problems)
  const config = mergeLayers(given, sources.cwd)
  const origins = new Map(given.map(({ setting, origin }) => [setting.pointer, origin]))
  checkRules(config, (path, beside, says) => {
    const origin = [path, ...beside].map(toPointer).flatMap((pointer) => origins.get(pointer) ?? [])[0]
    problems.push({ origin: origin ?? { kind: 'file', name: configFileName }, path, says })
  })
  throwIfAny(problems)
  return config
}

const maxTold = 20

function throwIfAny(problems: readonly Problem[]): void {
  const [first] = problems
  if (first === undefined) return
  const sentences = problems.slice(0, maxTold).map(formatProblem)
  const head = problems.length === 1 ? 'The configuration is wrong: ' : 'The configuration is wrong:\n  '
  throw new SluiceError('bad_config', {
    message: head + sentences.join('\n  '),
    details: { key: toPointer(first.path), source: `${first.origin.kind} ${first.origin.name}` },
  })
}
